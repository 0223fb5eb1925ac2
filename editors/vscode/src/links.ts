// Links in the document with what a template deploys, back to the lines that declare the resources.
import * as path from "node:path"
import * as vscode from "vscode"

/** The server writes such a line before each resource. */
const PLACE = /^(\s*\/\/ )(.+):(\d+)$/

export function registerLinks(): vscode.Disposable {
    return vscode.languages.registerDocumentLinkProvider({ scheme: "formwork" }, { provideDocumentLinks: links })
}

function links(document: vscode.TextDocument): vscode.DocumentLink[] {
    const folder = folderOf(document.uri)
    if (folder === undefined) return []
    const found: vscode.DocumentLink[] = []
    for (let line = 0; line < document.lineCount; line++) {
        const [all, before, name, at] = PLACE.exec(document.lineAt(line).text) ?? []
        if (all === undefined || before === undefined || name === undefined) continue
        const target = vscode.Uri.file(path.join(folder, name)).with({ fragment: `L${at}` })
        found.push(new vscode.DocumentLink(new vscode.Range(line, before.length, line, all.length), target))
    }
    return found
}

/** The folder to which the names in a document are relative: the query of its URI has it. */
function folderOf(uri: vscode.Uri): string | undefined {
    try {
        const { folder } = JSON.parse(uri.query)
        return typeof folder === "string" ? folder : undefined
    } catch {
        return undefined
    }
}
