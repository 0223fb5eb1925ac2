;;; emacs.el --- What a person sees in Emacs -*- lexical-binding: t -*-
;;   emacs --batch -Q -l SNIPPET --eval '(find-file "FOLDER/main.bicep")' -l emacs.el
;; SNIPPET is what docs/editors.md says to configure.  Prints what is seen, and exits with code 1 if it is not what is expected.

(defun formwork-findings ()
  "What Flymake shows in this buffer, without what is only a hint."
  (mapcar (lambda (found) (format "%s: %s" (line-number-at-pos (flymake-diagnostic-beg found)) (flymake-diagnostic-text found)))
          (seq-filter (lambda (found) (memq (flymake-diagnostic-type found) '(eglot-error eglot-warning)))
                      (flymake-diagnostics))))

(defun formwork-expect (what pattern)
  "Wait until the findings are WHAT: PATTERN matches all of them together."
  (let ((end (+ (float-time) 20)))
    (while (not (string-match-p pattern (string-join (formwork-findings) "\n")))
      (when (> (float-time) end)
        (message "expected %s, found %s" what (formwork-findings))
        (kill-emacs 1))
      (accept-process-output nil 0.05)))
  (message "%s: %s" what (formwork-findings)))

(message "%s, Eglot" (emacs-version))
;; `eglot-ensure' waits for a command, and there are none in a batch.
(call-interactively #'eglot)
(flymake-start)
(formwork-expect "a finding" "\\`32: .*HTTPS requests only")
(goto-char (point-min))
(search-forward "httpsOnly: false")
(replace-match "httpsOnly: true")
;; Changes are sent when Emacs is idle, which it never is in a batch, and before the file is saved.
(save-buffer)
(formwork-expect "no finding after the change" "\\`\\'")
(call-interactively #'eglot-shutdown)
