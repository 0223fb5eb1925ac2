// The server of a window: starts it, restarts it, and shows how it is.
import * as vscode from "vscode"
import { LanguageClient, State, type ExecuteCommandSignature, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node"
import { beside } from "./neighbors"
import { findProgram, type Program } from "./program"

const LANGUAGES = ["arm-template", "bicep", "bicep-params", "json", "jsonc", "yaml"]

/** What a command of the server is about if it comes from the palette. */
const activeFile = (): string[] => {
    const editor = vscode.window.activeTextEditor
    return editor ? [editor.document.uri.toString()] : []
}

/** The command of the server whose result are places, which the client shows. */
const REFERENCES = "formwork.showReferences"

/** What the server has to know from its start. */
function initializationOptions() {
    const settings = vscode.workspace.getConfiguration("formwork")
    return {
        beside: beside(),
        causes: settings.get<boolean>("causes", true),
        check: settings.get<string>("check", "open"),
        codeLens: settings.get<boolean>("codeLens", true),
        environment: settings.get<string>("environment", ""),
        inlayHints: settings.get<string>("inlayHints", "names"),
        minSeverity: settings.get<string>("minSeverity", "note"),
        run: settings.get<string>("run", "onType"),
        undecided: settings.get<boolean>("undecided", false),
    }
}

/** Runs a command of the server, and shows the places that it returns. */
async function execute(client: LanguageClient, command: string, words: any[], next: ExecuteCommandSignature): Promise<unknown> {
    const about = words.length ? words : activeFile()
    const result: unknown = await next(command, about)
    if (command !== REFERENCES || !Array.isArray(result)) return result
    const places = await client.protocol2CodeConverter.asReferences(result)
    const start = new vscode.Position(0, 0)
    return vscode.commands.executeCommand("editor.action.showReferences", vscode.Uri.parse(about[0]), start, places)
}

export class Session implements vscode.Disposable {
    readonly log = vscode.window.createOutputChannel("formwork", { log: true })
    private readonly status = vscode.window.createStatusBarItem("formwork", vscode.StatusBarAlignment.Left)
    private client: LanguageClient | undefined
    private running: Program | undefined
    /** What was asked last; a restart waits for it. */
    private last: Promise<void> = Promise.resolve()

    constructor(private readonly context: vscode.ExtensionContext) {
        this.status.name = "formwork"
        this.status.command = "formwork.showOutput"
        this.status.show()
    }

    /** The program of the running server, for commands that it runs itself. */
    get program(): Program | undefined {
        return this.running
    }

    /** Starts the server; if there is one, ends that before. */
    restart(): Promise<void> {
        this.last = this.last.then(() => this.end()).then(() => this.begin())
        return this.last
    }

    /** The names of the environments of the templates that were checked. */
    async environments(): Promise<string[]> {
        const names: unknown = await this.client?.sendRequest("workspace/executeCommand", { command: "formwork.environments" })
        return Array.isArray(names) ? names.map(String) : []
    }

    async stop(): Promise<void> {
        await this.last
        await this.end()
    }

    dispose(): void {
        this.status.dispose()
        this.log.dispose()
    }

    private async end(): Promise<void> {
        const client = this.client
        this.client = this.running = undefined
        // A server that ended by itself has nothing to stop.
        if (client?.state === State.Running) await client.stop()
        await client?.dispose()
    }

    private async begin(): Promise<void> {
        this.show("$(loading~spin)", "formwork starts")
        try {
            const program = await findProgram(this.context)
            this.log.info(`${program.path}, version ${program.version}, from: ${program.from}`)
            const client = this.connect(program)
            this.client = client
            client.onDidChangeState(({ newState }) => this.changed(client, program, newState))
            await client.start()
        } catch (error) {
            this.fail(error instanceof Error ? error.message : String(error))
        }
    }

    private connect(program: Program): LanguageClient {
        const server: ServerOptions = { command: program.path, args: ["lsp"] }
        const schemes = ["file", "untitled"]
        const options: LanguageClientOptions = {
            documentSelector: schemes.flatMap(scheme => LANGUAGES.map(language => ({ scheme, language }))),
            outputChannel: this.log,
            middleware: { executeCommand: (command, words, next) => execute(client, command, words, next) },
            initializationOptions: initializationOptions(),
        }
        const client: LanguageClient = new LanguageClient("formwork", "formwork", server, options)
        return client
    }

    /** A server that crashes is started again by its client, a few times. */
    private changed(client: LanguageClient, program: Program, state: State): void {
        if (client !== this.client) return
        this.running = state === State.Running ? program : undefined
        if (state === State.Running) this.show("$(check)", `formwork ${program.version}\n\n${program.path}`)
        if (state === State.Stopped) this.fail("the server has ended; the output says why")
    }

    private fail(message: string): void {
        this.log.error(message)
        this.show("$(error)", message, new vscode.ThemeColor("statusBarItem.errorBackground"))
    }

    private show(icon: string, tooltip: string, color?: vscode.ThemeColor): void {
        void vscode.commands.executeCommand("setContext", "formwork.isRunning", this.running !== undefined)
        this.status.text = `${icon} formwork`
        this.status.tooltip = tooltip
        this.status.backgroundColor = color
    }
}
