"""One small sound input for every reader, from which damaged ones are made: a file with its name, or a folder."""

from __future__ import annotations

import json
from pathlib import Path

FIXTURES = Path(__file__).parent / "formats" / "toolkits" / "fixtures"


def lines(*rows):
    """Lines with their ends."""
    return "".join(f"{row}\n" for row in rows).encode()


def json_lines(records):
    """An object a line."""
    return lines(*(json.dumps(record, ensure_ascii=False) for record in records))


def table(header, rows, sign="\t"):
    """Delimited text."""
    return lines(sign.join(header), *(sign.join(map(str, row)) for row in rows))


def fixture(name):
    """A file beside this one."""
    return (FIXTURES / name).read_bytes()


SPANS = [{"start": 0, "end": 3, "category": "accuracy", "severity": "major", "is_source_error": False}]
PRINTED = "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0"
HELM = [
    {
        "instance_id": f"id{i}",
        "train_trial_index": 0,
        "stats": [
            {"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": i % 2, "mean": i % 2}
        ],
    }
    for i in range(4)
]
SAMPLES = fixture("lm_eval_sums.jsonl")
ESA = json.dumps([{"start_i": 0, "end_i": 3, "severity": "minor", "error_type": None}]).replace('"', '""')


def mteb_task(task, main_scores):
    """A result of MTEB: each score is that of a subset."""
    parts = [
        {
            "scores_per_experiment": [{"accuracy": score}],
            "accuracy": score / 2,
            "main_score": score,
            "hf_subset": f"s{i}",
            "languages": ["eng-Latn"],
        }
        for i, score in enumerate(main_scores)
    ]
    return {
        "dataset_revision": "1f7e6a9d",
        "task_name": task,
        "mteb_version": "2.2.0",
        "scores": {"test": parts},
        "evaluation_time": 4.25,
        "kg_co2_emissions": None,
    }


def langfuse_scores(run, values):
    """Rows of Langfuse's table of scores: two scores of each trace, a category, and a score of the whole run."""

    def row(number, trace, name, value, kind="NUMERIC", text=""):
        return {
            "id": f"{run}-{number}",
            "traceId": trace,
            "sessionId": "",
            "datasetRunId": "" if trace else run,
            "timestamp": "2026-08-01T10:00:00.000Z",
            "source": "EVAL",
            "name": name,
            "dataType": kind,
            "value": value,
            "stringValue": text,
            "comment": "",
            "metadata": "{}",
            "observationId": "",
            "traceName": "answer",
            "userId": "",
            "traceTags": "[]",
            "environment": "default",
            "authorUserName": "",
        }

    rows = [row(i, f"{run}-trace-{i}", "correct", value) for i, value in enumerate(values)]
    rows += [row(10 + i, f"{run}-trace-{i}", "relevance", value / 2) for i, value in enumerate(values)]
    rows.append(row(20, f"{run}-trace-0", "tone", 0, "CATEGORICAL", "friendly"))
    return [*rows, row(21, "", "accuracy", 0.5)]


def langfuse_items(run, n):
    """Rows of the items of a run of a data set."""
    return [
        {
            "id": f"{run}-{i}",
            "projectId": "p",
            "datasetItemId": f"item-{i}",
            "traceId": f"{run}-trace-{i}",
            "observationId": "",
            "createdAt": "2026-08-01T10:00:00.000Z",
            "updatedAt": "2026-08-01T10:00:00.000Z",
            "datasetName": "questions",
        }
        for i in range(n)
    ]


def of_rows(rows):
    """A CSV file of rows."""
    return table(
        list(rows[0]),
        [['"' + str(cell).replace('"', '""') + '"' for cell in row.values()] for row in rows],
        ",",
    )


NESTED = b"".join(
    b'{"id": "q%d", "scores": {"accuracy": %d, "style": {"score": 0.%d, "reason": "as asked"}}}\n'
    % (i, i % 2, i)
    for i in range(1, 7)
)
MTEB_TASK = json.dumps(mteb_task("SciFact", [0.5, 0.625]), indent=2).encode()
LANGFUSE_SCORES = of_rows(langfuse_scores("base", [1, 0, 1, 0]))


def quality(sid, system, *cells):
    """A row of a quality-estimation task."""
    return ("en-de", system, sid, *cells)


FILES = {
    "long": (
        "a.csv",
        table(("item", "system", "score"), [(i, s, i / 4) for i in range(4) for s in "AB"], ","),
    ),
    "wide": ("BLEU.csv", table(("id", "A", "B"), [(i, i / 4, i / 8) for i in range(5)], ",")),
    "ratings": (
        "a.tsv",
        table(
            ("item", "system", "rater", "score"),
            [(i, s, f"r{i % 2}", 10 * i) for i in range(4) for s in "AB"],
        ),
    ),
    "battles": (
        "b.csv",
        table(
            ("model_a", "model_b", "winner", "judge"),
            [("A", "B", "model_a", "j"), ("B", "C", "tie", "k")] * 3,
            ",",
        ),
    ),
    "ranking_lists": (
        "lists.csv",
        table(("judge", "ranking"), [("x", "A > B = C"), ("y", "C > A"), ("z", "B > A > *")] * 2, ","),
    ),
    "mt_bench": (
        "m.jsonl",
        json_lines(
            {"question_id": q, "model": m, "score": 7.5, "turn": t}
            for q in (1, 2)
            for m in "AB"
            for t in (1, 2)
        ),
    ),
    "rankings": (
        "r.csv",
        table(
            (
                "srclang",
                "trglang",
                "srcIndex",
                "documentId",
                "segmentId",
                "judgeId",
                *(f"system{k}{what}" for k in range(1, 6) for what in ("Number", "Id")),
                *(f"system{k}rank" for k in range(1, 6)),
            ),
            [
                (
                    "German",
                    "English",
                    i,
                    "d",
                    i,
                    "j",
                    *(x for k in range(1, 6) for x in (k, f"S{k}")),
                    1,
                    2,
                    3,
                    3,
                    -1,
                )
                for i in range(4)
            ],
            ",",
        ),
    ),
    "mqm": (
        "mqm.tsv",
        table(
            ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"),
            [
                (s, "d", 1, i, "r1", "x", "<v>y</v> z", "Accuracy/Mistranslation", "Major")
                for i in range(3)
                for s in "AB"
            ],
        ),
    ),
    "text": (
        "ours.txt",
        lines("One line, two.", "Another line.", "A third, fourth, fifth.", "", "x", "y, z"),
    ),
    "texts_table": (
        "t.csv",
        table(
            ("item", "system", "text"), [(i, s, f"x {i}") for i in range(3) for s in ("A", "B", "@ref")], ","
        ),
    ),
    "tags": ("gold.tags", lines("OK BAD OK", "BAD", "OK OK")),
    "tags_table": (
        "tags.csv",
        table(
            ("item", "system", "position", "tag"),
            [(i, s, k, "OK" if k else "BAD") for i in range(2) for s in ("@gold", "A") for k in range(3)],
            ",",
        ),
    ),
    "tag_rows": (
        "w.tsv",
        lines("1000", "20000")
        + lines(
            *(
                "\t".join(("en-de", "A", "mt", str(s), str(k), f"w{k}", "OK" if k else "BAD"))
                for s in range(3)
                for k in range(3)
            )
        ),
    ),
    "tag_sentences": (
        "w.tsv",
        table(
            ("lp", "name", "sid", "mt", "mttok", "tags"),
            [quality(i, "A", "a b", "a b <EOS>", "OK BAD OK") for i in range(3)],
        ),
    ),
    "tag_spans": (
        "s.tsv",
        table(
            ("lp", "name", "sid", "mt", "start_id", "end_id", "error"),
            [
                quality(0, "A", "a b c", "0 2", "1 3", "minor major"),
                quality(1, "A", "d", "-1", "-1", "no-error"),
            ],
        ),
    ),
    "sentence_scores": (
        "q.tsv",
        table(("lp", "name", "sid", "score"), [quality(i, "A", i / 4) for i in range(4)]),
    ),
    "sentence_training": (
        "t.tsv",
        table(
            ("index", "original", "translation", "scores", "mean", "z_scores", "z_mean"),
            [(i, "x", "y", "[70, 80]", 75, "[0.5, -0.25]", 0.125) for i in range(4)],
        ),
    ),
    "numbers": ("a.hter", lines("0.5", "0.25", "0", "1")),
    "score_file": ("BLEU-refA.seg.score", lines(*(f"{s}\t{i / 4}" for s in "AB" for i in range(4)))),
    "appraise": (
        "a.csv",
        lines(
            *(f'user,{s},{i},TGT,eng,deu,{60 + i},doc1,False,"{ESA}",1.0,2.0' for i in range(3) for s in "AB")
        ),
    ),
    "wmt_jsonl": (
        "w.jsonl",
        json_lines(
            {
                "langs": "en-de",
                "line_id": i,
                "src": "x",
                "tgt": "y",
                "doc_id": "d",
                "domain": "news",
                "esa_spans": [],
                "esa_score": "80",
                "system": s,
                "annotator": "a",
                "times": [1, 2],
                "speech_info": None,
            }
            for i in range(3)
            for s in "AB"
        ),
    ),
    "wmt_scores": (
        "A.jsonl",
        json_lines(
            {
                "language_pair": "en-de",
                "domain": "news",
                "document_id": f"d{i}",
                "metric_scores": {"BLEU": [i, 0.5]},
            }
            for i in range(3)
        ),
    ),
    "segments": (
        "segments.tsv",
        table(("lp", "seg_id", "doc", "doc_seg_id"), [("en-de", i, "d", i) for i in range(1, 4)]),
    ),
    "submission": (
        "m.seg.tsv",
        lines(
            *(
                f"chrF\ten-de\tnewstest2019\t{s}\t{i}\t{i / 4}"
                for s in ("sys.1", "sys.2")
                for i in range(1, 4)
            )
        ),
    ),
    "rating_file": (
        "en-de.mqm.seg.rating",
        lines(
            *(f"{s}\t{json.dumps({'errors': SPANS})}\tr1" for s in "AB" for _ in range(3)),
            "A\tNone\tr1",
            "B\tNone\tr1",
        ),
    ),
    "rating_lines": (
        "r.jsonl",
        json_lines(
            {
                "source": "x",
                "hypothesis": "yyyy",
                "errors": SPANS,
                "document_id": "d",
                "segment_id": i,
                "system_id": s,
                "rater_id": "r",
                "src_lang": "en",
                "tgt_lang": "de",
            }
            for i in range(3)
            for s in "AB"
        ),
    ),
    "wmt_texts": (
        "A.jsonl",
        json_lines({"doc_id": f"en-de_#_news_#_d{i}", "hypothesis": "one\n\ntwo"} for i in range(3)),
    ),
    "wmt_judgements": (
        "j.jsonl",
        json_lines(
            {
                "doc_id": f"en-de_#_news_#_d{i}",
                "src_text": "x",
                "tgt_text": {"A": "y"},
                "scores": {s: {"human": 60 + i, "errors": [], "annotator": "a"} for s in "AB"},
            }
            for i in range(3)
        ),
    ),
    "mqm_means": (
        "en-de.avg_seg_scores.tsv",
        lines(
            "system mqm_avg_score seg_id",
            *(f"{s}\t{-i / 2}\t{i}" for s in "AB" for i in range(1, 4)),
            "A None 4",
        ),
    ),
    "da_systems": ("DA-syslevel.csv", lines("LP SCORE SYSTEM", *(f"en-de {i / 4} s{i}" for i in range(4)))),
    "crowd_da": (
        "ad-en-de-good-stnd.csv",
        lines(
            "HITId WorkerId Input.src Input.trg Input.item hit sys_id rid type sid score time",
            *(
                f"h\tw{i}\ten\tde\t{i}\t1\t{s}\t{i}\tSYSTEM\t{i}\t{i / 4}\t10"
                for i in range(1, 4)
                for s in ("A.7", "B.8")
            ),
        ),
    ),
    "crowd_scores": (
        "ad-seg-scores-en-de.csv",
        lines("SYS SID RAW.SCR Z.SCR N ", *(f"{s} {i} {50 + i} 0.{i} 2 " for i in range(1, 4) for s in "AB")),
    ),
    "better_worse": (
        "DArr-seglevel.csv",
        lines("LP DATA SID BETTER WORSE", *(f"en-de newstest2019 {i} A B" for i in range(1, 5))),
    ),
    "sacrebleu": (
        "s.json",
        json.dumps(
            [{"system": "a.txt", "BLEU": "25.7"}, {"system": "b.txt", "BLEU": "30.1"}], indent=1
        ).encode(),
    ),
    "sacrebleu_lines": ("ours.txt", lines(*(f"{PRINTED} = {i}.5 100.0/50.0 (BP = 1.000)" for i in range(4)))),
    "comet": ("c.json", fixture("comet_score.json")),
    "lm_eval": ("samples_sums_2026-11-16T02-51-42.154155.jsonl", SAMPLES),
    "inspect": ("alpha.eval", fixture("inspect/alpha.eval")),
    "helm": ("per_instance_stats.json", json.dumps(HELM).encode()),
    "lighteval": ("details_pick.parquet", fixture("lighteval_one.parquet")),
    "promptfoo": ("p.json", fixture("promptfoo.json")),
    "ragas": ("r.csv", fixture("ragas_base.csv")),
    "nested_scores": ("run.jsonl", NESTED),
    "deepeval": ("test_run_20261119_010200.json", fixture("deepeval_base.json")),
    "openai_evals": ("log.jsonl", fixture("openai_evals_base.jsonl")),
    "mteb": ("SciFact.json", MTEB_TASK),
    "braintrust": ("b.json", fixture("braintrust_base.json")),
    "langfuse": ("scores.csv", LANGFUSE_SCORES),
}
"""By reader, the name of a file and its bytes."""

FOLDERS = {
    "metrics_folder": {
        "sources/en-de.txt": lines("x", "y"),
        "documents/en-de.docs": lines("news d1", "news d2"),
        "references/en-de.refA.txt": lines("X", "Y"),
        "system-outputs/en-de/A.txt": lines("a", "b"),
        "system-outputs/en-de/B.txt": lines("c", "d"),
        "human-scores/en-de.mqm.seg.score": lines("A\t-1", "A\tNone", "B\t-2", "B\t0"),
        "metric-scores/en-de/BLEU-refA.seg.score": lines("A\t1", "A\t2", "B\t3", "B\t4"),
    },
    "score_file": {
        "BLEU-refA.seg.score": FILES["score_file"][1],
        "TER-refA.seg.score": FILES["score_file"][1],
    },
    "wmt_scores": {"A.jsonl": FILES["wmt_scores"][1], "B.jsonl": FILES["wmt_scores"][1]},
    "wmt_texts": {"A.jsonl": FILES["wmt_texts"][1], "B.jsonl": FILES["wmt_texts"][1]},
    "lm_eval": {"one/samples_sums.jsonl": SAMPLES, "two/samples_sums.jsonl": SAMPLES},
    "inspect": {"alpha.eval": fixture("inspect/alpha.eval"), "beta.eval": fixture("inspect/beta.eval")},
    "helm": {f"x:y,model={m}/per_instance_stats.json": FILES["helm"][1] for m in "ab"},
    "tag_folder": {
        "gold.tags": lines("OK BAD OK", "BAD"),
        "sys/A.tags": lines("OK OK OK", "BAD"),
        "mt_tok.txt": lines("a b <EOS>", "<EOS>"),
    },
    "lighteval": {f"details/{m}/2026-01-01T00-00-00/details_x.parquet": FILES["lighteval"][1] for m in "ab"},
    "deepeval": {
        "test_run_20261119_010200.json": fixture("deepeval_base.json"),
        "test_run_20261119_010300.json": fixture("deepeval_candidate.json"),
    },
    "openai_evals": {
        "a.jsonl": fixture("openai_evals_base.jsonl"),
        "b.jsonl": fixture("openai_evals_candidate.jsonl"),
    },
    "mteb": {
        f"org__{model}/0123abcd/{name}": data
        for model in ("small", "large")
        for name, data in {
            "model_meta.json": json.dumps({"name": f"org/{model}"}).encode(),
            "SciFact.json": MTEB_TASK,
            "ArguAna.json": json.dumps(mteb_task("ArguAna", [0.25])).encode(),
        }.items()
    },
    "langfuse": {
        "scores.csv": of_rows(langfuse_scores("base", [1, 0]) + langfuse_scores("new", [1, 1])),
        "base.csv": of_rows(langfuse_items("base", 2)),
        "new.csv": of_rows(langfuse_items("new", 2)),
    },
    "several": {"BLEU.csv": FILES["wide"][1], "chrF.csv": FILES["wide"][1], "more.csv": FILES["long"][1]},
}
"""By reader of folders, the files of a folder."""
