// Other extensions that report some of the same, so that the server need not repeat it.
import * as vscode from "vscode"

/** What the server calls the language of each extension. */
const NEIGHBORS: Record<string, string> = {
    "ms-azuretools.vscode-bicep": "bicep",
    "amazonwebservices.aws-toolkit-vscode": "cloudformation",
    "kddejong.vscode-cfn-lint": "cloudformation",
    "msazurermtools.azurerm-vscode-tools": "arm",
    "redhat.vscode-yaml": "yaml",
}

/** The languages of those that are installed and not disabled. */
const installed = (): string[] => Object.keys(NEIGHBORS).filter(id => vscode.extensions.getExtension(id)).map(id => NEIGHBORS[id]!)

/** The languages about which other extensions report errors, as the setting `formwork.beside` says. */
export function beside(): string[] {
    const setting = vscode.workspace.getConfiguration("formwork").get<string>("beside", "auto")
    if (setting === "all") return []
    return [...new Set(setting === "own" ? Object.values(NEIGHBORS) : installed())]
}

/** Calls back when one of them is installed, enabled, disabled, or removed. */
export function onDidChangeNeighbors(changed: () => void): vscode.Disposable {
    let known = installed().join()
    return vscode.extensions.onDidChange(() => {
        const now = installed().join()
        if (now === known) return
        known = now
        changed()
    })
}
