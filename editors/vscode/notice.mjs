// Writes the licenses of all packages whose code is in the bundle: notice.mjs METAFILE OUT
import fs from "node:fs"

const [, , metafile, out] = process.argv
const inputs = Object.keys(JSON.parse(fs.readFileSync(metafile, "utf8")).inputs)
const folders = new Set(inputs.map(input => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]).filter(Boolean))
const notices = [...folders].sort().map(folder => {
    const { name, version } = JSON.parse(fs.readFileSync(`${folder}/package.json`, "utf8"))
    const license = fs.readdirSync(folder).find(file => /^licen[cs]e/i.test(file))
    if (!license) throw new Error(`${name} has no license file`)
    return `${name} ${version}\n\n${fs.readFileSync(`${folder}/${license}`, "utf8").trim()}\n`
})
fs.writeFileSync(out, notices.join(`\n${"-".repeat(80)}\n\n`))
