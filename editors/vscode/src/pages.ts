// What a command of the program prints, as a page that cannot be edited.
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import * as vscode from "vscode"
import type { Session } from "./session"

const SCHEME = "formwork-page"

/** The longest page, in bytes. */
const MAX_LENGTH = 16 << 20

/** Exit codes of a command that has printed its result: also if there are findings, or a file could not be read. */
const DONE = [0, 1, 3]

export class Pages implements vscode.TextDocumentContentProvider, vscode.Disposable {
    private readonly texts = new Map<string, string>()
    private readonly changed = new vscode.EventEmitter<vscode.Uri>()
    private readonly registered = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this)
    readonly onDidChange = this.changed.event

    constructor(private readonly session: Session) {}

    provideTextDocumentContent(uri: vscode.Uri): string {
        return this.texts.get(uri.toString()) ?? ""
    }

    /** Runs a command of the program in a folder, and returns a page of this name with what it prints. */
    async make(name: string, words: string[], folder: vscode.WorkspaceFolder): Promise<vscode.Uri | undefined> {
        const text = await this.run(name, words, folder.uri.fsPath)
        if (text === undefined) return undefined
        const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}`, query: folder.uri.fsPath })
        this.texts.set(uri.toString(), text)
        this.changed.fire(uri)
        return uri
    }

    private async run(name: string, words: string[], cwd: string): Promise<string | undefined> {
        const { program, log } = this.session
        if (!program) return undefined
        const progress = { location: vscode.ProgressLocation.Window, title: `formwork: ${name}` }
        const options = { cwd, maxBuffer: MAX_LENGTH, env: { ...process.env, NO_COLOR: "1" } }
        return vscode.window.withProgress(progress, async () => {
            try {
                return (await promisify(execFile)(program.path, words, options)).stdout
            } catch (error) {
                const { code, stdout, stderr, message } = error as Error & { code?: unknown; stdout?: string; stderr?: string }
                if (stdout && DONE.includes(code as number)) return stdout
                log.error(`formwork ${words.join(" ")}: ${message}`)
                void vscode.window.showErrorMessage(stderr?.trim() || message)
                return undefined
            }
        })
    }

    dispose(): void {
        this.registered.dispose()
        this.changed.dispose()
    }
}
