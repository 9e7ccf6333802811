"""Checks the signature of a DSSE envelope with securesystemslib, the library of in-toto and TUF.
Usage: envelope.py BUNDLE TRUST_ROOT; prints `signed`, exit 1 otherwise."""
import base64
import hashlib
import json
import sys

from securesystemslib.exceptions import UnverifiedSignatureError
from securesystemslib.signer import Key, Signature

bundle, trust = (json.load(open(path)) for path in sys.argv[1:3])
envelope = bundle["seal"]
[signature] = envelope["signatures"]
raw = base64.b64decode(trust["keys"][signature["keyid"]]["spki_der"])[-32:]
# The library wants key names of its own form.
keyid = hashlib.sha256(raw).hexdigest()
key = Key.from_dict(keyid, {"keytype": "ed25519", "scheme": "ed25519", "keyval": {"public": raw.hex()}})
kind, payload = envelope["payloadType"].encode(), base64.b64decode(envelope["payload"])
# https://github.com/secure-systems-lab/dsse/blob/master/protocol.md
message = b" ".join([b"DSSEv1", str(len(kind)).encode(), kind, str(len(payload)).encode(), payload])
statement = json.loads(payload)
if statement["_type"] != "https://in-toto.io/Statement/v1" or not statement["subject"][0]["digest"]["sha256"]:
    sys.exit("no statement")
try:
    key.verify_signature(Signature(keyid, base64.b64decode(signature["sig"]).hex()), message)
except UnverifiedSignatureError as error:
    sys.exit(f"not signed: {error}")
print("signed")
