// The commands of the palette.
import * as vscode from "vscode"
import { Pages } from "./pages"
import type { Session } from "./session"

export function registerCommands(session: Session): vscode.Disposable[] {
    const pages = new Pages(session)
    const commands: Record<string, () => unknown> = {
        "formwork.checkWorkspace": () => checkWorkspace(pages),
        "formwork.showDifference": () => showDifference(pages),
        "formwork.selectEnvironment": () => selectEnvironment(session),
        // The hover has the value in each environment, and where it comes from.
        "formwork.explainValue": () => vscode.commands.executeCommand("editor.action.showHover"),
        "formwork.restart": () => session.restart(),
        "formwork.showOutput": () => session.log.show(),
    }
    return [pages, ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(name, run))]
}

/** The report of a check of a whole folder, as a pipeline makes it: of the files on the disk. */
async function checkWorkspace(pages: Pages): Promise<void> {
    const folder = await pickFolder()
    if (folder) await preview(await pages.make("Report.md", ["check", "--format=markdown", "--no-progress"], folder))
}

/** Lets the user pick the environment whose values are shown where only one has room. */
async function selectEnvironment(session: Session): Promise<void> {
    const first = "the first of each template"
    const picked = await vscode.window.showQuickPick([...(await session.environments()), first], {
        title: "Show the values of this environment",
    })
    if (picked === undefined) return
    const target = vscode.workspace.workspaceFolders ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global
    const name = picked === first ? undefined : picked
    await vscode.workspace.getConfiguration("formwork").update("environment", name, target)
}

/** What the next comparison is suggested to be with: what it was the last time. */
let base = "origin/main"

/** What the files on the disk would deploy differently from a branch. */
async function showDifference(pages: Pages): Promise<void> {
    const folder = await pickFolder()
    if (!folder) return
    const given = await vscode.window.showInputBox({
        title: "Show what is deployed differently since this branch left another",
        prompt: "The other branch, or a tag or commit",
        value: base,
        // The program would take it for a flag, or for the next argument.
        validateInput: text => (/^\s*(-|$)|\S\s+\S/.test(text) ? "expected the name of a branch, tag, or commit" : undefined),
    })
    if (given === undefined) return
    base = given.trim()
    const name = `Difference to ${base.replaceAll("/", "-")}.md`
    await preview(await pages.make(name, ["diff", "--format=markdown", base], folder))
}

async function preview(page: vscode.Uri | undefined): Promise<void> {
    if (page) await vscode.commands.executeCommand("markdown.showPreview", page)
}

/** The folder of the active file, else the only one, else the one that the user picks. */
async function pickFolder(): Promise<vscode.WorkspaceFolder | undefined> {
    const active = vscode.window.activeTextEditor?.document.uri
    const folder = active && vscode.workspace.getWorkspaceFolder(active)
    if (folder) return folder
    const folders = vscode.workspace.workspaceFolders ?? []
    return folders.length > 1 ? vscode.window.showWorkspaceFolderPick() : folders[0]
}
