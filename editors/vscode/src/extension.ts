// Starts the server, and again after whatever it has to know from its start.
import * as vscode from "vscode"
import { registerCommands } from "./commands"
import { registerLinks } from "./links"
import { onDidChangeNeighbors } from "./neighbors"
import { Session } from "./session"

/** The server asks for all other settings when they change. */
const needsRestart = (change: vscode.ConfigurationChangeEvent): boolean =>
    ["formwork.path", "formwork.beside"].some(setting => change.affectsConfiguration(setting))

let session: Session | undefined

export async function activate(context: vscode.ExtensionContext): Promise<void> {
    const started = (session = new Session(context))
    const restart = () => void started.restart()
    context.subscriptions.push(
        started,
        ...registerCommands(started),
        registerLinks(),
        onDidChangeNeighbors(restart),
        vscode.workspace.onDidGrantWorkspaceTrust(restart),
        vscode.workspace.onDidChangeConfiguration(change => needsRestart(change) && restart()),
    )
    await started.restart()
}

export const deactivate = (): Promise<void> | undefined => session?.stop()
