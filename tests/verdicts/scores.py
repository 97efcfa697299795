"""What the verdicts on planted bugs are worth: shares, recall by class, confusions, calibration."""

import collections
import json
import pathlib
import sys

import networks
import result_page

# Kinds that no row of training shows: the first ones test the detection of unknown bugs, the others were used to choose its score.
HELD_OUT = {"dead-tile", "wrap", "table-segment", "output-transposed"}
CHOSEN_BY = {"activation-wrong", "wrong-destination", "halo-lost"}
UNTRAINED = HELD_OUT | CHOSEN_BY
# Messages of the commands where a bug cannot be injected.
NO_PLACE = ("cannot be injected into any layer", "no pass rewrites", "is not possible", "no value of this parameter", "no instruction")
PASSES = {"rewrite", "type_decision"}


def counts(result):
    """Whether a verdict is due: the bug had a place and changed a result, or was proved."""
    return not result.get("no_place") and not result.get("error") and (not result["equivalent"] or result["caught"])


def is_right(result):
    if result["proved"] and result["answer"] != "one_of":
        return result["true_class"] in result["classes"]
    return result["answer"] in ("named", "one_of") and result["class"] == result["true_class"]


def is_trained(result):
    return result["bug"] not in UNTRAINED and result["true_class"] not in PASSES


def share(results, test):
    return sum(map(test, results)) / len(results) if results else float("nan")


def by_numbers(results):
    return [result for result in results if not result["proved"]]


def calibration_error(results, bins=10):
    """The mean distance between the probability of the named class and the share of right ones, over bins of probability."""
    groups = collections.defaultdict(list)
    for result in results:
        if result.get("top"):
            groups[min(bins - 1, int(bins * result["top"][0][1]))].append(result)
    total = sum(map(len, groups.values()))
    return sum(abs(sum(result["top"][0][1] for result in group) - sum(result["top"][0][0] == result["true_class"] for result in group))
               for group in groups.values()) / total if total else float("nan")


def is_unknown(result):
    return result["answer"] == "unknown"


def figures(results):
    due = [result for result in results if counts(result)]
    trained = [result for result in due if is_trained(result)]
    numbers = by_numbers(trained)
    untrained = [result for result in due if result["bug"] in HELD_OUT]
    proved = [result for result in due if result["proved"]]
    recalls = recall_by_class(trained)
    worst = min(recalls.items(), key=lambda item: item[1][0] / item[1][1]) if recalls else ("", (0, 1))
    return [("planted bugs that a verdict is due for", len(due), None),
            ("checks that failed or did not end", sum(bool(result.get("error")) for result in results), None),
            ("right, all kinds", share(due, is_right), None),
            ("right, kinds that are trained on", share(trained, is_right), 0.88),
            (f"worst recall of a class ({worst[0]})", worst[1][0] / worst[1][1], 0.70),
            ("right, kinds that are trained on, where nothing is proved", share(numbers, is_right), None),
            ("of these, called unknown", share(numbers, is_unknown), 0.06),
            ("of these, right where a class is named", share([r for r in numbers if r["answer"] == "named"], is_right), None),
            ("of these, calibration error", calibration_error(numbers), 0.03),
            ("proved: the bug's class is among the proved ones", share(proved, lambda r: r["true_class"] in r["classes"]), 1.0),
            ("kinds held out to test it, nothing proved: not called unknown", share(by_numbers(untrained), lambda r: not is_unknown(r)), 0.25),
            ("bugs in passes, right", share([r for r in due if r["true_class"] in PASSES], is_right), None),
            ("another bug is announced, though only one was planted", share(due, lambda r: bool(r.get("others"))), 0)]


def recall_by_class(results):
    recalls = collections.defaultdict(lambda: [0, 0])
    for result in results:
        recalls[result["true_class"]][0] += is_right(result)
        recalls[result["true_class"]][1] += 1
    return dict(recalls)


def number(value):
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def summary(results):
    lines = [f"{label}: {number(value)}" + (f" (asked: {asked})" if asked is not None else "") for label, value, asked in figures(results)]
    return "\n".join(lines)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" + "---:|" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def grouped(results, key):
    groups = collections.defaultdict(list)
    for result in results:
        groups[key(result)].append(result)
    return sorted(groups.items(), key=lambda item: str(item[0]))


def breakdown(results, key):
    rows = []
    for name, group in grouped(results, key):
        numbers = by_numbers(group)
        rows.append((name, len(group), number(share(group, is_right)), len(numbers), number(share(numbers, is_right)) if numbers else "",
                     sum(map(is_unknown, group))))
    return rows


def confusions(results):
    pairs = collections.Counter((result["true_class"], "unknown" if is_unknown(result) else result["class"] or str(result["answer"]))
                                for result in results if not is_right(result))
    return [(*pair, count) for pair, count in pairs.most_common(25)]


HEAD = ("", "bugs", "right", "not proved", "right of these", "called unknown")


def read_log(log, arguments, program, bugs):
    """The results that are in a log, by index. Its first line states what they depend on; another log is refused."""
    options = {"program": program, "seed": arguments.seed, "networks": arguments.networks, "bugs": [bug["id"] for bug in bugs]}
    if not log.exists():
        log.write_text(json.dumps(options) + "\n")
        return {}
    first, *lines = log.read_text().splitlines()
    if json.loads(first) != options:
        sys.exit(f"{log}: the cases in this file were drawn with other options; give another --log")
    return {result["index"]: result for result in map(json.loads, lines) if not result.get("error")}


def command(program, arguments, cases, page):
    """The command that measures the same again, on models and files of the usual names."""
    name, *options = program.split()
    words = [" ".join([f"tests/verdicts/{name} build/bin --models models", *options, f"--cases {cases} --seed {arguments.seed}"])]
    if len(arguments.networks) < len(networks.NETWORKS):
        words += ["--networks", *arguments.networks]
    if getattr(arguments, "bugs", None):
        words += ["--bugs", *arguments.bugs]
    if getattr(arguments, "oracle", None):
        words.append("--oracle scripts/oracle")
    return " ".join([*words, "--log", f"{pathlib.Path(page).stem.lower()}.jsonl", "--table", f"tests/verdicts/{page}"])


def page(results, measured_by):
    due = [result for result in results if counts(result)]
    trained = [result for result in due if is_trained(result)]
    family = {network.name: network.family for network in networks.NETWORKS}
    text = result_page.head("Verdicts on whole networks", "Verdicts of `tilerig check` on bugs planted in whole networks", measured_by)
    text += "\n" + table(("figure", "reached", "asked"), [(label, number(value), "" if asked is None else asked) for label, value, asked in figures(results)])
    for title, key, chosen in (("class of the bug", lambda r: r["true_class"], due), ("kind of bug", lambda r: r["bug"], due),
                               ("network", lambda r: r["network"], trained), ("family of networks", lambda r: family[r["network"]], trained),
                               ("precision", lambda r: r["precision"], trained), ("tiles", lambda r: r["tiles"], trained)):
        text += f"\n## By {title}\n\n" + table((title, *HEAD[1:]), breakdown(chosen, key))
    text += "\n## Most frequent confusions\n\n" + table(("class of the bug", "verdict", "bugs"), confusions(due))
    return text


def classes_named(result):
    """The classes that a verdict on two bugs names: of the headline, and of the other layers."""
    headline = result["classes"] or [] if result["proved"] else ([result["class"]] if result["answer"] == "named" else [])
    return [*headline, *(name for _, answer, name in result.get("others", []) if answer == "named")]


def are_both_named(result):
    return {result["true_class"], result["other_class"]} <= set(classes_named(result))


def is_one_named_and_other_announced(result):
    named = {result["true_class"], result["other_class"]} & set(classes_named(result))
    return bool(named) and bool(result.get("others"))


def figures_of_pairs(results):
    made = [result for result in results if not result.get("no_place") and not result.get("error")]
    trained = [result for result in made if not {result["bug"], result["other_bug"]} & UNTRAINED]
    alone = [right for result in made for right in result["alone_right"]]
    return [("pairs of bugs in different layers", len(made), None),
            ("checks that failed or did not end", sum(bool(result.get("error")) for result in results), None),
            ("both classes named", share(made, are_both_named), 0.6),
            ("one class named, and another bug announced", share(made, is_one_named_and_other_announced), 0.9),
            ("another bug announced", share(made, lambda result: bool(result.get("others"))), None),
            ("one class named", share(made, lambda result: bool({result["true_class"], result["other_class"]} & set(classes_named(result)))), None),
            ("both classes named, kinds that are trained on", share(trained, are_both_named), None),
            ("the bugs alone, in the same networks: the class named", sum(alone) / len(alone) if alone else float("nan"), None)]


def summary_of_pairs(results):
    return "\n".join(f"{label}: {number(value)}" + (f" (asked: {asked})" if asked is not None else "") for label, value, asked in figures_of_pairs(results))


def page_of_pairs(results, measured_by):
    made = [result for result in results if not result.get("no_place") and not result.get("error")]
    text = result_page.head("Verdicts on two bugs at once", "Verdicts of `tilerig check` on pairs of bugs planted in whole networks", measured_by)
    text += "\n" + table(("figure", "reached", "asked"), [(label, number(value), "" if asked is None else asked) for label, value, asked in figures_of_pairs(results)])
    rows = [(f"{result['bug']}, {result['other_bug']}", result["network"], result["precision"], f"{result['true_class']}, {result['other_class']}",
             ("proved: " if result["proved"] else "") + f"{result['class']}" + ("" if result["answer"] == "named" or result["proved"] else f" ({result['answer']})"),
             ", ".join(name if answer == "named" else f"{name} ({answer})" for _, answer, name in result.get("others", [])[:4])
             + (f" and {len(result['others']) - 4} more" if len(result.get("others", [])) > 4 else "")) for result in made]
    return text + "\n## Pairs\n\n" + table(("bugs", "network", "precision", "classes", "verdict", "other bugs"), rows)
