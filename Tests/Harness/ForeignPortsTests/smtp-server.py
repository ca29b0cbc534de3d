"""A mail server for tests: SMTP (RFC 5321) with one set of mailboxes for each connection.

MAILBOX is no SMTP command; it answers with the messages of an address, as Python's email package reads them.
"""
import email
import email.policy
import json
import re
import socketserver
import sys


class Session(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def reply(self, text):
        self.wfile.write((text + "\r\n").encode())

    def handle(self):
        boxes = {}
        recipients = []
        self.reply("220 localhost")
        for line in self.rfile:
            text = line.decode().rstrip("\r\n")
            word = text.split(" ")[0].upper()
            if word in ("MAIL", "RSET"):
                recipients = []
            if word == "RCPT":
                address = re.fullmatch(r"RCPT TO:<([^@<>]+@[^@<>]+)>", text)
                if not address:
                    self.reply("553 this is no address")
                    continue
                if address[1].lower() not in recipients:
                    recipients.append(address[1].lower())
            if word == "DATA":
                self.reply("354 end with a dot")
                message = self.message()
                for address in recipients:
                    boxes.setdefault(address, []).append(message)
            if word == "MAILBOX":
                self.reply(json.dumps(boxes.get(text[8:].lower(), [])))
            else:
                self.reply("250 done")

    def message(self):
        lines = []
        for line in self.rfile:
            if line == b".\r\n":
                break
            lines.append(line[1:] if line.startswith(b".") else line)
        message = email.message_from_bytes(b"".join(lines), policy=email.policy.default)
        # The line end before the final dot belongs to the end (RFC 5321 section 4.1.1.4).
        body = message.get_content().replace("\r\n", "\n").removesuffix("\n")
        return {
            "to": dict(message.raw_items())["To"], "blindCopies": message["bcc"],
            "subject": message["subject"] or "", "body": body,
        }


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


Server(("127.0.0.1", int(sys.argv[1])), Session).serve_forever()
