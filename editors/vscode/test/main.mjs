// Uses the packaged extension in a real VS Code, as `.ci/editors` runs it:
//   main.mjs --code-server SCRIPT --installed FOLDER --vsix FILE --chromium PROGRAM --shots FOLDER [--only WORD]
// SCRIPT is `.ci/code-server`, which has installed into FOLDER. Each scenario has a VS Code and a folder of its own. Pictures of
// what it saw are in the FOLDER of `--shots`. With WORD, only the scenarios with it in their name run.
import assert from "node:assert/strict"
import { execFileSync, spawn } from "node:child_process"
import fs from "node:fs"
import net from "node:net"
import os from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Editor } from "./editor.mjs"
import { scenarios } from "./scenarios.mjs"

const flag = { type: "string" }
const { values: given } = parseArgs({ options: { "code-server": flag, installed: flag, vsix: flag, chromium: flag, shots: flag, only: flag } })
const SHOP = fileURLToPath(new URL("../../tests/shop", import.meta.url))

/** How many scenarios run at the same time: a browser and a VS Code are two or three busy processes at their start. */
const AT_ONCE = 2

/** Quiet, and the same on each screen. */
const SETTINGS = {
    "editor.minimap.enabled": false,
    "extensions.autoCheckUpdates": false,
    "extensions.ignoreRecommendations": true,
    "security.workspace.trust.startupPrompt": "never",
    "telemetry.telemetryLevel": "off",
    "workbench.activityBar.location": "hidden",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": false,
}

const freePort = () =>
    new Promise(resolve => {
        const server = net.createServer().listen(0, "127.0.0.1", () => {
            const { port } = server.address()
            server.close(() => resolve(port))
        })
    })

const listens = port =>
    new Promise(resolve => {
        const socket = net.connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false))
        socket.on("connect", () => socket.destroy())
    })

/** The folder of a scenario: a deployment in a repository with one commit. */
function prepare(home) {
    const folder = path.join(home, "shop")
    fs.cpSync(SHOP, folder, { recursive: true })
    const git = (...words) => execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@example.org", ...words], { cwd: folder })
    git("init", "--quiet", "--initial-branch=main")
    git("add", ".")
    git("commit", "--quiet", "--message=start")
    return folder
}

async function run(name, scenario) {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), "formwork-vscode-"))
    const folder = prepare(home)
    scenario.prepare?.(folder)
    const user = path.join(home, "data/User")
    fs.mkdirSync(user, { recursive: true })
    fs.writeFileSync(path.join(user, "settings.json"), JSON.stringify({ ...SETTINGS, ...scenario.settings }))
    const server = words => [given.installed, home, ...words]
    for (const vsix of [given.vsix, ...(scenario.extensions?.(home) ?? [])]) {
        execFileSync(given["code-server"], ["extension", ...server([vsix])], { stdio: "ignore" })
    }
    const port = await freePort()
    const log = fs.openSync(path.join(given.shots, `${name}.log`), "w")
    const flags = scenario.isTrusted === false ? [] : ["--disable-workspace-trust"]
    const running = spawn(given["code-server"], ["run", ...server([String(port), folder, ...flags])], { stdio: ["ignore", log, log], detached: true })
    let editor
    try {
        for (const end = Date.now() + 30_000; !(await listens(port)); ) assert(Date.now() < end, "code-server does not start")
        const began = Date.now()
        editor = await Editor.open({ url: `http://127.0.0.1:${port}`, folder, chromium: given.chromium, shots: given.shots })
        await scenario.run(editor, folder)
        console.log(`passed: ${name}, ${((Date.now() - began) / 1000).toFixed(1)} s`)
        return true
    } catch (error) {
        await editor?.shot(`${name} failed.png`)
        console.log(`failed: ${name}: ${error.stack}`)
        return false
    } finally {
        await editor?.close()
        process.kill(-running.pid)
        fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    }
}

fs.mkdirSync(given.shots, { recursive: true })
const chosen = Object.entries(scenarios).filter(([name]) => name.includes(given.only ?? ""))
const waiting = [...chosen]
let failed = 0
async function runWaiting() {
    for (let next; (next = waiting.shift()); ) failed += (await run(...next)) ? 0 : 1
}
await Promise.all(Array.from({ length: AT_ONCE }, runWaiting))
console.log(`${chosen.length - failed} passed, ${failed} failed`)
process.exit(failed ? 1 : 0)
