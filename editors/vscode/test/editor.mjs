// A real VS Code in a real browser, as a person uses it: keys, the command palette, and what is on the screen.
import path from "node:path"
import { chromium } from "playwright-core"

/** How long the screen may take to show what is expected, in milliseconds. */
const LIMIT = 20_000

export class Editor {
    /** Opens a folder in the VS Code at `url`. */
    static async open({ url, folder, shots, chromium: executablePath }) {
        const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
        const editor = new Editor()
        editor.browser = browser
        editor.folder = folder
        editor.shots = shots
        editor.page = await browser.newPage({ viewport: { width: 1100, height: 720 } })
        await editor.park()
        await editor.page.goto(`${url}/?folder=${encodeURIComponent(folder)}`)
        await editor.page.waitForSelector(".monaco-workbench", { timeout: 60_000 })
        await editor.page.waitForSelector(".explorer-folders-view .monaco-list-row", { timeout: 60_000 })
        return editor
    }

    close() {
        return this.browser.close()
    }

    /** What all elements of a selector say. */
    texts(selector) {
        const read = found => found.map(one => (one.getAttribute("aria-label") ?? one.innerText).replace(/\s+/g, " ").trim())
        return this.page.locator(selector).evaluateAll(read).then(all => all.filter(Boolean))
    }

    /** Reads until what was read is what is expected, and returns it. */
    async until(what, read, expected) {
        const end = Date.now() + LIMIT
        for (;;) {
            const found = await read()
            if (expected(found)) return found
            if (Date.now() > end) throw new Error(`${what}, but found: ${JSON.stringify(found, null, 1)}`)
            await this.page.waitForTimeout(25)
        }
    }

    async command(title) {
        await this.page.keyboard.press("F1")
        await this.page.locator(".quick-input-widget .quick-input-box input").fill(`>${title}`)
        await this.row(".quick-input-list", title).waitFor({ timeout: LIMIT })
        await this.page.keyboard.press("Enter")
    }

    row(list, text) {
        return this.page.locator(`${list} .monaco-list-row:has-text(${JSON.stringify(text)})`).first()
    }

    /** Opens a file of the folder. Its whole path needs no search. */
    async file(name) {
        await this.page.keyboard.press("Control+P")
        await this.page.locator(".quick-input-widget .quick-input-box input").fill(path.join(this.folder, name))
        await this.row(".quick-input-list", path.basename(name)).waitFor({ timeout: LIMIT })
        await this.page.keyboard.press("Enter")
        await this.page.waitForSelector(`.tab.active[data-resource-name="${path.basename(name)}"]`, { timeout: LIMIT })
        await this.focus()
    }

    /** Keys go to the editor from then on. The cursor moves only if they did not before. */
    async focus() {
        if (await this.page.locator(".editor-instance .monaco-editor.focused").count()) return
        // To the right of all lines and lenses.
        await this.page.locator(".editor-instance .overflow-guard").last().click({ position: { x: 680, y: 100 } })
        await this.page.locator(".editor-instance .monaco-editor.focused").first().waitFor()
        await this.park()
    }

    /** Puts the pointer where nothing shows that it is there. */
    park() {
        return this.page.mouse.move(150, 420)
    }

    /** Puts the cursor before a string of the active file. */
    async go(text) {
        await this.focus()
        await this.page.keyboard.press("Control+F")
        await this.page.locator(".find-widget textarea").first().fill(text)
        await this.page.locator('.find-widget .matchesCount:has-text(" of ")').first().waitFor()
        await this.page.keyboard.press("Escape")
        await this.page.keyboard.press("ArrowLeft")
    }

    keys(...keys) {
        return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve())
    }

    /** Types as a person does: what the editor adds by itself, such as brackets, is not typed again. */
    type(text) {
        return this.page.keyboard.type(text, { delay: 20 })
    }

    /** The rows of the panel with all problems. */
    async problems(what, expected) {
        if (!(await this.page.locator(".markers-panel-container").isVisible())) await this.command("Problems: Focus on Problems View")
        return this.until(what, () => this.texts(".markers-panel-container .monaco-list-row"), expected)
    }

    /** What the hover at the cursor says. */
    async hover(what, expected) {
        await this.focus()
        await this.command("formwork: Explain the Value at the Cursor")
        return this.until(what, () => this.texts(".monaco-hover:not(.hidden) .hover-contents"), expected)
    }

    lenses(what, expected) {
        return this.until(what, () => this.texts(".codelens-decoration a"), expected)
    }

    /** Applies a quick fix at the cursor. */
    async fix(title) {
        await this.focus()
        await this.page.keyboard.press("Control+.")
        const row = this.row(".action-widget", title)
        await row.waitFor({ timeout: LIMIT })
        for (let moves = 0; moves < 40 && !(await row.evaluate(one => one.classList.contains("focused"))); moves++) {
            await this.page.keyboard.press("ArrowDown")
        }
        await this.page.keyboard.press("Enter")
    }

    /** The visible lines of the active editor. */
    async lines() {
        const read = found => found.map(one => [parseInt(one.style.top), one.textContent.replace(/\u00a0/g, " ")])
        const lines = await this.page.locator(".editor-instance").last().locator(".view-line").evaluateAll(read)
        return lines.sort((a, b) => a[0] - b[0]).map(([, text]) => text)
    }

    /** What the extension says of itself in the status bar. */
    status(what, expected) {
        return this.until(what, () => this.texts('.statusbar-item[id="formwork.formwork.formwork"]'), expected)
    }

    /** The text of all previews, each of which is a frame in a frame. */
    async previews() {
        const read = frame => frame.locator("body").evaluate(body => body.textContent).catch(() => "")
        return (await Promise.all(this.page.frames().slice(1).map(read))).join("\n")
    }

    /** Trusts the folder, as a person does who has read it. */
    async trust() {
        await this.command("Workspaces: Manage Workspace Trust")
        await this.page.locator('.workspace-trust-editor .monaco-button:has-text("Trust")').first().click()
    }

    async shot(name) {
        // What moves comes to rest.
        await this.page.waitForTimeout(400)
        await this.page.screenshot({ path: path.join(this.shots, name) })
    }
}
