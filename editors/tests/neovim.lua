-- What a person sees in Neovim: findings, a hover, a quick fix, and the finding gone. Works with Neovim 0.7 and newer, without a window.
--   nvim --headless -u SNIPPET -i NONE -n FOLDER/main.bicep -c 'luafile neovim.lua'
-- SNIPPET is what docs/editors.md says to configure. Prints what is seen, and exits with code 1 if that is not what is expected.
local limit = 20000
local buffer = vim.api.nvim_get_current_buf()

local function say(format, ...) io.stdout:write(format:format(...), "\n") end

local function fail(format, ...)
    io.stderr:write(format:format(...), "\n")
    vim.cmd("cquit 1")
end

-- Everything that is found, in all files: `main.bicep:32:5: AZ-APPSERVICE-001`.
local function findings()
    local list = {}
    for _, of in ipairs(vim.api.nvim_list_bufs()) do
        for _, item in ipairs(vim.diagnostic.get(of, { severity = { min = vim.diagnostic.severity.INFO } })) do
            local code = item.code or item.user_data.lsp.code
            list[#list + 1] = ("%s:%d:%d: %s"):format(vim.fn.fnamemodify(vim.api.nvim_buf_get_name(of), ":t"), item.lnum + 1, item.col + 1, code)
        end
    end
    table.sort(list)
    return table.concat(list, "\n")
end

-- Waits for the findings that are expected.
local function expect(what, expected)
    local is_so = vim.wait(limit, function() return findings() == expected end, 10)
    if not is_so then return fail("%s: expected\n%s\nfound\n%s", what, expected, findings()) end
    say("%s:\n%s", what, expected)
end

local function ask(method, parameters)
    parameters.textDocument = vim.lsp.util.make_text_document_params(buffer)
    for _, answer in pairs(vim.lsp.buf_request_sync(buffer, method, parameters, limit) or {}) do
        if answer.result then return answer.result end
    end
    fail("%s has no answer", method)
end

local function position(text)
    for line, content in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, true)) do
        local at = content:find(text, 1, true)
        if at then return { line = line - 1, character = at - 1 } end
    end
    fail("`%s` is not in the file", text)
end

local ok, problem = pcall(function()
    say("Neovim %d.%d.%d", vim.version().major, vim.version().minor, vim.version().patch)
    local https, public = "main.bicep:32:5: AZ-APPSERVICE-001", "storage.bicep:14:5: AZ-STORAGE-003"
    expect("findings", https .. "\n" .. public)

    local hover = ask("textDocument/hover", { position = position("publicImages bool") }).contents.value
    for _, part in ipairs({ "dev", "true", "main.dev.bicepparam", "prod", "false" }) do
        if not hover:find(part, 1, true) then fail("the hover does not say `%s`:\n%s", part, hover) end
    end
    say("hover:\n%s", hover)

    local at = position("httpsOnly")
    local diagnostic = vim.diagnostic.get(buffer, { lnum = at.line })[1].user_data.lsp
    -- Older versions keep only what they do not translate.
    if not diagnostic.range then diagnostic = vim.lsp.diagnostic.get_line_diagnostics(buffer, at.line)[1] end
    local actions = ask("textDocument/codeAction", { range = { start = at, ["end"] = at }, context = { diagnostics = { diagnostic } } })
    local fix = vim.tbl_filter(function(action) return action.isPreferred end, actions)[1]
    if not fix then fail("no quick fix is preferred: %s", vim.inspect(actions)) end
    local client = (vim.lsp.get_clients or vim.lsp.get_active_clients)()[1]
    vim.lsp.util.apply_workspace_edit(fix.edit, client.offset_encoding)
    say("fix: %s", fix.title)
    expect("findings after the fix", public)
end)
if not ok then fail("%s", problem) end
vim.cmd("qall!")
