"""What receivers in Python do with a delivery: `verify` reads deliveries as JSON, `mail` receives one mail with aiosmtpd."""

import asyncio
import base64
import email
import email.policy
import json
import sys

mode = sys.argv[1]

if mode == "verify":
    from cloudevents.core.bindings import http
    from nacl.signing import VerifyKey
    from standardwebhooks import Webhook

    answers = []
    for delivery in json.load(sys.stdin):
        headers, body = delivery["headers"], delivery["body"]
        answer = {}
        try:
            Webhook(delivery["secret"]).verify(body, headers)
            answer["hmac"] = True
        except Exception as error:
            answer["hmac"] = str(error)
        key = VerifyKey(base64.b64decode(delivery["publicKey"].removeprefix("whpk_")))
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
        answer["ed25519"] = []
        for text in headers["webhook-signature"].split(" "):
            version, signature = text.split(",")
            if version == "v1a":
                try:
                    key.verify(signed, base64.b64decode(signature))
                    answer["ed25519"].append(True)
                except Exception as error:
                    answer["ed25519"].append(str(error))
        event = http.from_http_event(http.HTTPMessage(headers=headers, body=body.encode()))
        answer["event"] = {
            "id": event.get_id(),
            "type": event.get_type(),
            "source": event.get_source(),
            "sequence": event.get_extension("sequence"),
            "data": event.get_data(),
        }
        answers.append(answer)
    print(json.dumps(answers))
else:
    from aiosmtpd.smtp import SMTP

    class Keep:
        def __init__(self, done):
            self.done = done

        async def handle_DATA(self, server, session, envelope):
            mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
            print(
                json.dumps(
                    {
                        "from": envelope.mail_from,
                        "to": envelope.rcpt_tos,
                        "headers": {name: str(value) for name, value in mail.items()},
                        "defects": [str(defect) for part in mail.walk() for defect in part.defects],
                        "text": mail.get_body(("plain",)).get_content(),
                        "html": mail.get_body(("html",)).get_content(),
                    }
                ),
                flush=True,
            )
            self.done.set()
            return "250 OK"

    async def main():
        done = asyncio.Event()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: SMTP(Keep(done), loop=loop), "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        async with asyncio.timeout(60):
            await done.wait()
        await asyncio.sleep(0.5)

    asyncio.run(main())
