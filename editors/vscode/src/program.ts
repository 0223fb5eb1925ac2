// Finds the program, and refuses one that does not fit the extension.
import { execFile } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import * as vscode from "vscode"

const NAME = process.platform === "win32" ? "formwork.exe" : "formwork"

/** How long the program may take to say what it is, in milliseconds. */
const LIMIT = 10_000

export interface Program {
    path: string
    /** Such as `0.1.0`. */
    version: string
    /** Where the program was found, for the tooltip of the status. */
    from: "setting" | "extension" | "PATH"
}

/** What is wrong with the program, in words for the user. */
export class ProgramError extends Error {}

/**
 * The program of the setting `formwork.path`, else the one in the extension, else the one on the `PATH`.
 *
 * In a workspace that is not trusted, only the one in the extension counts: the repository may set `formwork.path`, and
 * may have a folder that is on the `PATH`.
 */
export async function findProgram(context: vscode.ExtensionContext): Promise<Program> {
    const found = locate(context)
    if (!found) {
        throw new ProgramError(
            vscode.workspace.isTrusted
                ? "formwork was not found; install it, or set `formwork.path` to the program"
                : "this build of the extension has no program of its own, and does not run others in a folder that is not trusted",
        )
    }
    const version = await versionOf(found.path)
    const expected: string = context.extension.packageJSON.version
    if (major(version) !== major(expected)) {
        throw new ProgramError(
            `${found.path} is formwork ${version}; this extension needs version ${major(expected)}: update the older of both`,
        )
    }
    await run(found.path, ["lsp", "--help"]).catch(() => {
        throw new ProgramError(`${found.path} is a build without the language server; install a released one`)
    })
    return { ...found, version }
}

function locate(context: vscode.ExtensionContext): Omit<Program, "version"> | undefined {
    const configured = vscode.workspace.getConfiguration("formwork").get<string>("path", "").trim()
    if (configured && vscode.workspace.isTrusted) return { path: absolute(configured), from: "setting" }
    const bundled = context.asAbsolutePath(path.join("server", NAME))
    if (fs.existsSync(bundled)) return { path: bundled, from: "extension" }
    const installed = vscode.workspace.isTrusted ? onPath() : undefined
    return installed === undefined ? undefined : { path: installed, from: "PATH" }
}

/** A relative path of the setting starts in the first folder of the workspace, whose settings it is in. */
function absolute(configured: string): string {
    return path.resolve(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "", configured)
}

/** The first program on the `PATH`, in a folder that is not a part of the workspace. */
function onPath(): string | undefined {
    const folders = (process.env.PATH ?? "").split(path.delimiter).filter(folder => path.isAbsolute(folder))
    return folders
        .filter(folder => vscode.workspace.getWorkspaceFolder(vscode.Uri.file(folder)) === undefined)
        .map(folder => path.join(folder, NAME))
        .find(file => fs.existsSync(file))
}

const run = (program: string, words: string[]) => promisify(execFile)(program, words, { timeout: LIMIT })

async function versionOf(program: string): Promise<string> {
    const { stdout } = await run(program, ["--version"]).catch((error: Error) => {
        throw new ProgramError(`${program} does not run: ${error.message}`)
    })
    const version = /^formwork (\d+\.\d+\.\d+\S*)/.exec(stdout)?.[1]
    if (version === undefined) throw new ProgramError(`${program} is not formwork: it does not print its version`)
    return version
}

const major = (version: string): string => version.split(".", 1)[0] ?? ""
