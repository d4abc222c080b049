"""BibTeX of what a report is built on: a line a method, so that nobody has to look it up."""

from __future__ import annotations

from collections.abc import Iterable

_ENTRIES = {
    "paired": (
        "@inproceedings{peyrard2021better,\n  author = {Peyrard, Maxime and Zhao, Wei and Eger, Steffen and West, Robert},\n"
        "  title = {Better than Average: Paired Evaluation of {NLP} Systems},\n  booktitle = {ACL-IJCNLP},\n  year = {2021}\n}"
    ),
    "permutation": (
        "@book{good2005permutation,\n  author = {Good, Phillip},\n"
        "  title = {Permutation, Parametric and Bootstrap Tests of Hypotheses},\n  publisher = {Springer},\n  year = {2005}\n}"
    ),
    "holm": (
        "@article{holm1979simple,\n  author = {Holm, Sture},\n"
        "  title = {A simple sequentially rejective multiple test procedure},\n"
        "  journal = {Scandinavian Journal of Statistics},\n  volume = {6},\n  pages = {65--70},\n  year = {1979}\n}"
    ),
    "bootstrap": (
        "@inproceedings{koehn2004statistical,\n  author = {Koehn, Philipp},\n"
        "  title = {Statistical Significance Tests for Machine Translation Evaluation},\n  booktitle = {EMNLP},\n  year = {2004}\n}"
    ),
    "bradley_terry": (
        "@article{bradley1952rank,\n  author = {Bradley, Ralph Allan and Terry, Milton E.},\n"
        "  title = {Rank Analysis of Incomplete Block Designs: {I}. The Method of Paired Comparisons},\n"
        "  journal = {Biometrika},\n  volume = {39},\n  pages = {324--345},\n  year = {1952}\n}"
    ),
    "power": (
        "@inproceedings{card2020power,\n  author = {Card, Dallas and Henderson, Peter and Khandelwal, Urvashi and Jia, Robin "
        "and Mahowald, Kyle and Jurafsky, Dan},\n  title = {With Little Power Comes Great Responsibility},\n"
        "  booktitle = {EMNLP},\n  year = {2020}\n}"
    ),
    "soft_pairwise_accuracy": (
        "@inproceedings{thompson2024improving,\n  author = {Thompson, Brian and Mathur, Nitika and Deutsch, Daniel and "
        "Khayrallah, Huda},\n  title = {Improving Statistical Significance in Human Evaluation of Automatic Metrics via "
        "Soft Pairwise Accuracy},\n  booktitle = {WMT},\n  year = {2024}\n}"
    ),
    "sacrebleu": (
        "@inproceedings{post2018call,\n  author = {Post, Matt},\n  title = {A Call for Clarity in Reporting {BLEU} Scores},\n"
        "  booktitle = {WMT},\n  year = {2018}\n}"
    ),
    "chrf": (
        "@inproceedings{popovic2015chrf,\n  author = {Popovi\\'c, Maja},\n"
        "  title = {chr{F}: character n-gram {F}-score for automatic {MT} evaluation},\n  booktitle = {WMT},\n  year = {2015}\n}"
    ),
    "tags": (
        "@inproceedings{logacheva2016metrics,\n  author = {Logacheva, Varvara and Lukasik, Michal and Specia, Lucia},\n"
        "  title = {Metrics for Evaluation of Word-level Machine Translation Quality Estimation},\n  booktitle = {ACL},\n"
        "  year = {2016}\n}"
    ),
}


def bibtex(methods: Iterable[str]) -> str:
    """Return the entries of these methods, each once.

    Examples
    --------
    >>> print(bibtex(["holm"]).splitlines()[0])
    @article{holm1979simple,
    """
    return "\n\n".join(_ENTRIES[method] for method in dict.fromkeys(methods))
