"""The arithmetic of docs/evidence-format.md in another language: canonical form, chain, root, manifest
addresses, inclusion, signatures, timestamps and cosignatures; of the ledger's rules how the run ended, what agents were sent, and whether
attempts ran as their manifests say. Python's standard library and the openssl program only. Usage: verify_bundle.py BUNDLE TRUST_ROOT; prints `intact` or what failed, exit 1."""
import base64, hashlib, json, os, re, subprocess, sys, tempfile
from datetime import datetime, timezone
from decimal import Decimal


def sha(data): return hashlib.sha256(data).digest()


def number(value):
    if isinstance(value, int): return str(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    text, point = "".join(map(str, digits)), len(digits) + exponent
    if 0 < point <= 21: out = text.ljust(point, "0") if point >= len(text) else text[:point] + "." + text[point:]
    elif -6 < point <= 0: out = "0." + "0" * -point + text
    else:
        out = text[0] + ("." + text[1:] if len(text) > 1 else "") + "e" + ("+" if point > 0 else "-") + str(abs(point - 1))
    return ("-" if sign else "") + out


def canonical(value):
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(string(n) + ":" + canonical(value[n]) for n in names) + "}"
    if isinstance(value, list): return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, bool) or value is None: return json.dumps(value)
    return number(value) if isinstance(value, (int, float)) else string(value)


def string(value): return json.dumps(value, ensure_ascii=False)


def address(value): return "sha256:" + sha(canonical(value).encode()).hex()


def tree(leaves):
    if len(leaves) == 1: return sha(b"\0" + leaves[0])
    k = 1
    while k * 2 < len(leaves): k *= 2
    return sha(b"\1" + tree(leaves[:k]) + tree(leaves[k:]))


def included(leaf, index, size, proof):
    place, last, root = index, size - 1, sha(b"\0" + leaf)
    for sibling in proof:
        if place % 2 == 1 or place == last:
            root = sha(b"\1" + sibling + root)
            while place % 2 == 0 and place != 0: place, last = place // 2, last // 2
        else: root = sha(b"\1" + root + sibling)
        place, last = place // 2, last // 2
    return root if last == 0 else None


def signed(key, message, signature):
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, name) for name in ("key", "message", "signature")]
        for name, data in zip(names, (base64.b64decode(key["spki_der"]), message, signature)):
            with open(name, "wb") as file: file.write(data)
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", names[0], "-rawin", "-in", names[1], "-sigfile", names[2]]
        return subprocess.run(command, capture_output=True).returncode == 0


def millis(text): return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000


def attested(token, message, authorities):
    """Section 7, time: when the message existed, in ms, or None. The openssl program judges the token and its chain."""
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, name) for name in ("token", "message", "authorities")]
        pem = "".join("-----BEGIN CERTIFICATE-----\n%s-----END CERTIFICATE-----\n" % re.sub("(.{1,64})", "\\1\n", a) for a in authorities)
        for name, data in zip(names, (token, message, pem.encode())):
            with open(name, "wb") as file: file.write(data)
        shown = subprocess.run(["openssl", "ts", "-reply", "-token_in", "-in", names[0], "-token_out", "-text"], capture_output=True, text=True).stdout
        said = re.search(r"^Time stamp: (.+) GMT$", shown, re.M)
        if said is None: return None
        at = datetime.strptime(said[1].split(".")[0], "%b %d %H:%M:%S %Y").replace(tzinfo=timezone.utc).timestamp()
        command = ["openssl", "ts", "-verify", "-token_in", "-in", names[0], "-data", names[1], "-CAfile", names[2], "-attime", str(int(at))]
        return at * 1000 if subprocess.run(command, capture_output=True).returncode == 0 else None


def holds(key, use, asserted, at):
    """Section 8: whether a key may have signed."""
    if key["status"] == "revoked" or "revoked_at" in key:
        if at is None or "revoked_at" not in key or at >= millis(key["revoked_at"]): return False
    start, end = millis(key["not_before"]), millis(key["not_after"]) if "not_after" in key else float("inf")
    if asserted >= end or (use == "seal" and asserted < start): return False
    return at is None or (at + 300000 >= start and at < end)


def cosigners(text, lines, keys):
    """Section 7, witnesses: the names of those whose cosignature is there."""
    seen = set()
    for key in keys:
        name, identity, data = key.split("+", 2)
        raw = base64.b64decode(data)[1:]
        must(sha(name.encode() + b"\n\4" + raw)[:4].hex() == identity, "trust root")
        for line in lines:
            _, whose, value = line.split(" ")
            value = base64.b64decode(value)
            if whose != name or value[:4].hex() != identity: continue
            message = b"cosignature/v1\ntime %d\n" % int.from_bytes(value[4:12], "big") + text.encode()
            spki = base64.b64encode(bytes.fromhex("302a300506032b6570032100") + raw)
            must(signed({"spki_der": spki}, message, value[12:]), "witness")
            seen.add(name)
    return seen


def must(fact, what):
    if not fact: sys.exit(what)


def status(entries):
    """Rule 8 of section 3: the ends a run may tell of itself; rule 7 on the way."""
    ends, red, settled, refused, asked = {}, set(), {}, set(), False
    is_open, added = entries[0]["data"].get("open_ended", False), []
    for entry in entries:
        kind, data = entry["type"], entry["data"]
        if kind == "item.reconciled":
            if data["status"] != "retrying": ends[data["item"]] = data["status"]
            passed = data.get("product", {}).get("verify", {}).get("passed")
            red = red | {data["item"]} if passed is False else red - {data["item"]}
        if kind in ("item.skipped", "item.canceled", "item.denied", "item.failed"): ends[data["item"]] = kind[5:]
        if kind == "run.extended":
            must(data["cause"] in ends if "cause" in data else is_open, "growth")
            added += data["items"]
        if kind == "run.closed":
            must(is_open, "growth")
            is_open = False
        if kind == "item.settled":
            must(data["item"] not in settled, "growth")
            settled[data["item"]] = data["by"]
        if kind == "item.growth_refused": refused.add(data["item"])
        if kind == "run.cancel_requested" and "item" not in data: asked = True
    must(len(set(added)) == len(added) and set(added) <= set(ends), "growth")
    must(len(ends) == entries[0]["data"]["items"] + len(added), "growth")

    def good(item):
        for _ in range(len(settled) + 1):
            if item not in settled: return ends.get(item) == "done" and item not in refused
            item = settled[item]
        return False

    if all(map(good, ends)):
        if is_open: return ["failed", "timed_out"] + (["canceled"] if asked else [])
        return ["completed"] + (["failed"] if any(ends[i] == "done" and i not in settled for i in red) else [])
    if "canceled" not in ends.values(): return ["failed"]
    return ["canceled"] if asked else ["failed", "timed_out"]


def listed(entries):
    """Rule 9 of section 3."""
    rows = {}
    for entry in entries:
        kind, data = entry["type"], entry["data"]
        if kind == "item.fired": rows[data["item"]] = {"id": data["item"], "attempts": data["attempt"], "status": "running"}
        if kind == "item.reconciled":
            rows[data["item"]] = {"id": data["item"], "attempts": data["attempt"], "status": data["status"]}
            ref = data.get("product", {}).get("result_ref")
            if data["status"] == "done" and ref: rows[data["item"]]["result_ref"] = ref
        if kind in ("item.skipped", "item.canceled", "item.denied", "item.failed"):
            attempts = rows.get(data["item"], {}).get("attempts", 0)
            rows[data["item"]] = {"id": data["item"], "attempts": attempts, "status": kind[5:]}
    return list(rows.values())


def lets_through(decision):
    """Section 4, authorization: what writes needs a yes."""
    if decision["verdict"] == "deny": return False
    return decision["verdict"] == "allow" or decision["effect"] != "write-impure" or "approved_by" in decision


def decided(manifest, at, approved, added):
    """Section 4: the decision of a program's manifest, if it has one, let it be fired at this place."""
    if "authorization" not in manifest: return "shape" not in manifest
    decision, shape = manifest["authorization"], manifest.get("shape", {"effect": "unknown"})
    if decision["effect"] != shape["effect"] or decision["at"] > at or not lets_through(decision): return False
    if "approved_by" not in decision: return True
    return approved.get(decision["approved_by"], -1) >= added.get(manifest["item_id"], 0)


def authorised(entries, manifests):
    """Section 4: every attempt ran as its manifest says."""
    asked = {"actor": entries[0]["data"]["actor"], "submitted_at": entries[0]["at"], "workspace": entries[0]["data"]["workspace"]}
    own, approved, added = {}, {}, {}
    messaged = {e["data"]["item"] for e in entries if e["type"] == "item.message_sent"}
    for entry in entries:
        data = entry["data"]
        if entry["type"] == "item.fired":
            own[data["run"]] = manifest = manifests[len(own)]
            said = {"item_id": data["item"], "attempt": data["attempt"], "attempt_run": data["run"], "run_id": entries[0]["data"]["run"],
                    "fired_at": entry["at"], **asked}
            if any(manifest[name] != value for name, value in said.items()): return False
            if data["item"] in messaged and not manifest.get("channel"): return False
            if "kind" in manifest: continue
            if manifest["holds"] != data.get("holds", []) or manifest["deadline_at"] <= entry["at"]: return False
            if not decided(manifest, entry["at"], approved, added): return False
        if entry["type"] == "item.decided" and data["decision"] == "approve":
            if own[data["run"]]["four_eyes"] and data["actor"] in authors(entries): return False
            approved[data["item"]] = entry["seq"]
        if entry["type"] == "run.extended" and "cause" not in data: added.update((item, entry["seq"]) for item in data["items"])
        if entry["type"] == "item.started" and own[data["run"]]["sandbox"]["provider"] != data["sandbox"]: return False
        if entry["type"] == "item.reconciled" and "unsandboxed-host" in data.get("posture", []):
            refused = data["outcome"] != "succeeded" and not data.get("product", {}).get("blocks")
            if own[data["run"]]["sandbox"]["isolation"] == "sandboxed" and not refused: return False
    return True


def authors(entries):
    """Whoever started the run or added to it."""
    added = {e["data"]["actor"] for e in entries if e["type"] == "run.extended" and "cause" not in e["data"]}
    return {entries[0]["data"]["actor"]} | added


def denials(entries):
    """Rule 14 of section 3."""
    return all(e["data"]["authorization"]["at"] <= e["at"] and not lets_through(e["data"]["authorization"])
               for e in entries if e["type"] == "item.denied")


def messages(entries):
    """Rule 15 of section 3."""
    sent, given, flying, ends, ids = {}, {}, {}, {}, set()
    for entry in entries:
        kind, data = entry["type"], entry["data"]
        if kind == "item.fired": flying[data["item"]], given[data["item"]] = (data["attempt"], data["run"]), 0
        if kind == "item.reconciled":
            flying.pop(data["item"], None)
            if data["status"] not in ("retrying", "needs_input"): ends[data["item"]] = True
        if kind in ("item.skipped", "item.canceled", "item.denied", "item.failed"): ends[data["item"]] = True
        if kind == "item.message_sent":
            if data["item"] in ends or data["seq"] != sent.get(data["item"], 0) + 1 or data["message"] in ids: return False
            sent[data["item"]] = data["seq"]
            ids.add(data["message"])
        if kind == "item.messages_delivered":
            if flying.get(data["item"]) != (data["attempt"], data["run"]): return False
            if not given[data["item"]] < data["through"] <= sent.get(data["item"], 0): return False
            given[data["item"]] = data["through"]
    return True


def main(bundle_path, root_path):
    text = open(bundle_path, encoding="utf-8", newline="").read()
    bundle, trust = json.loads(text), json.load(open(root_path))
    must(canonical(bundle) == text, "not canonical")
    run, entries, previous = bundle["run_id"], bundle["entries"], b""
    for index, entry in enumerate(entries):
        head = ["palisade.event/1", "run:" + run, entry["seq"], entry["type"], entry["at"], entry["data"]]
        previous = sha(canonical(head).encode() + previous)
        must(entry["seq"] == index and entry["hash"] == previous.hex(), "chain")
    payload = base64.b64decode(bundle["seal"]["payload"])
    said = json.loads(payload)["predicate"]
    root = tree([bytes.fromhex(entry["hash"]) for entry in entries]).hex()
    must((said["root"], said["head"], said["run_id"], said["entries"]) == (root, previous.hex(), run, len(entries)), "root")
    fired = [entry["data"]["manifest_ref"] for entry in entries if entry["type"] == "item.fired"]
    must([address(manifest) for manifest in bundle["manifests"]] == fired == said["manifests"], "manifest")
    must(entries[-1]["data"]["status"] in status(entries), "status")
    must(bundle["items"] == listed(entries), "items")
    must(authorised(entries, bundle["manifests"]), "authorised")
    must(denials(entries), "denials")
    must(messages(entries), "messages")
    key = trust["keys"][bundle["seal"]["signatures"][0]["keyid"]]
    kind = bundle["seal"]["payloadType"].encode()
    message = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    must(signed(key, message, base64.b64decode(bundle["seal"]["signatures"][0]["sig"])), "signature")
    leaf = canonical({"format": "palisade.leaf/1", "run_id": run, "seal": address(bundle["seal"])}).encode()
    log = bundle["log"]
    body, tail = log["checkpoint"].rsplit("\n\n", 1)
    line, *more = tail.rstrip("\n").split("\n")
    origin, size, head = body.split("\n")
    found = included(leaf, log["leaf_index"], log["tree_size"], [base64.b64decode(p) for p in log["proof"]])
    must(found == base64.b64decode(head) and int(size) == log["tree_size"] and origin == trust["log_origin"], "inclusion")
    note = base64.b64decode(line.split(" ")[2])
    raw = base64.b64decode(key["spki_der"])[-32:]
    must(note[:4] == sha(origin.encode() + b"\n\1" + raw)[:4] and signed(key, (body + "\n").encode(), note[4:]), "checkpoint")
    at, times = None, trust.get("timestamps")
    if times and "timestamp" in log:
        at = attested(base64.b64decode(log["timestamp"]), f"{body}\n\n{line}\n".encode(), times["authorities"])
    must(at is not None or not times or not times["required"], "time")
    must(holds(key, "seal", said["sealed_at"], at) and holds(key, "log", said["sealed_at"], at), "period")
    witnesses = trust.get("witnesses")
    if witnesses: must(len(cosigners(body + "\n", more, witnesses["keys"])) >= witnesses["needed"], "witness")
    print("intact" + ("" if at is None else ", attested"))


main(*sys.argv[1:])
