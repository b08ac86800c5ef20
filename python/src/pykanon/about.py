"""What help() says of each argument. Made from the table of options by scripts/make-hosts; do not edit."""

ABOUT = {
    "schema": "Schema file (YAML): column roles and privacy requirements. What other options say wins over the file.",
    "quasi": "These columns are quasi-identifiers: they are generalised. With ``quasi`` no schema is needed.",
    "sensitive": "These columns are sensitive: they are released as they are, and protected by the groups.",
    "identifying": "These columns are identifying: they are never released.",
    "insensitive": "These columns are released as they are.",
    "default_role": "The role of columns that have none.",
    "taxonomies": (
        "The taxonomy of column A. A CSV file with a line for each category, from the category to the root. Hosts "
        "also take a tree or a table. Example: ``{\"job\": \"job.csv\"}``."
    ),
    "bands": (
        "Released intervals of column A end only at these bands: of this width, with edges such as 0,18,65, or of "
        "dates week, month, quarter, year or decade. Example: ``{\"age\": 5}``."
    ),
    "top": "All numbers of column A from this one on are one band. Example: ``{\"age\": 90}``.",
    "bottom": "All numbers of column A up to this one are one band. Example: ``{\"income\": 1000}``.",
    "masks": (
        "Generalise column A by masking one character per level, from the right or the left. Example: ``{\"zip\": "
        "\"right\"}``."
    ),
    "weights": "How much the loss in column A counts. Example: ``{\"age\": 2}``.",
    "permute": (
        "The values of these columns stay in their groups, but change rows there: nobody sees whose value it is. "
        "For sensitive and insensitive columns. Not with ``workers``."
    ),
    "ends": (
        "Drawn: the ends of released intervals of column A move outwards at random, so that they are nobody's "
        "value with more than chance. Example: ``{\"age\": \"drawn\"}``."
    ),
    "types": (
        "The values of column A are of this type: integer, decimal, date, categorical or ordinal. Example: "
        "``{\"age\": \"integer\"}``."
    ),
    "orders": (
        "Levels of the ordinal column A, from the lowest to the highest: none,primary,secondary. Example: "
        "``{\"school\": [\"none\", \"primary\", \"secondary\"]}``."
    ),
    "formats": "How the dates of column A are written, such as %d.%m.%Y. Example: ``{\"born\": \"%d.%m.%Y\"}``.",
    "missing": "This text means that there is no value.",
    "empty": "Whether the empty text means that there is no value, or is a value like others.",
    "decimal": "Decimal separator, . or ,.",
    "thousands": "Thousands separator.",
    "same": "These two texts are one cell, written in two ways; without it, texts that differ are different.",
    "k": (
        "The least number of records in a group. With ``entity``, the least number of entities. There is no other "
        "default: a run without k is an error."
    ),
    "algorithm": "Grouping algorithm.",
    "settings": "A setting of the algorithm. Example: ``{\"ties\": \"relaxed\"}``.",
    "constraints": (
        "A constraint on every group in addition to k, such as model=distinct-l-diversity,attribute=A,l=3; "
        "models: distinct-l-diversity, entropy-l-diversity, recursive-l-diversity, p-sensitive-k-anonymity, "
        "alpha-k, t-closeness. Example: ``{\"model\": \"distinct-l-diversity\", \"attribute\": \"disease\", \"l\": 3}``."
    ),
    "entity": "Column A says whose record it is: groups hold k persons, not k records.",
    "entity_together": "All records of an entity are in one group.",
    "suppress": (
        "Suppress up to this share of the records if that lowers the loss, such as 0.01. Suppressed records are "
        "left out of the release, unless ``suppressed`` keep."
    ),
    "suppressed": (
        "Drop: suppressed records are left out of the release (default); keep: they are released with * in every "
        "quasi-identifier, if they are at least k and satisfy every constraint."
    ),
    "singled_out": (
        "Write no release of which more than this share of the rows is one person's by the quasi-identifiers and "
        "all columns that are released as they are; a check of one fails. Not with ``workers``."
    ),
    "key": "The columns that name a record, for kanon delete and update; they are never released.",
    "original": (
        "The table that RELEASE was made of: each record is compared with its row, and persons are counted. Rows "
        "are compared by ``key``, in the order of TABLE, or as a multiset. Nothing of TABLE is printed but "
        "counts."
    ),
    "earlier": (
        "A release before this one, by any tool: records that are in the same class in each of them must be k. "
        "Who is who is known by ``key``, or by ``original`` where all releases have its rows in order."
    ),
    "population": (
        "People of whom somebody may know the quasi columns: how many of them fit each row. A table with the "
        "quasi columns under their names and a row for each person, of whom everybody in RELEASE is one."
    ),
    "risk_threshold": "Count the records whose risk of being recognised is above R.",
    "groups": "The groups to begin with: a table with the columns row and group, both from 1; group 0 is suppressed.",
    "release": (
        "In place of ``groups``: a release of TABLE, which any tool may have written, with its records in the "
        "order of TABLE; records that look alike are a group."
    ),
    "repair": "Change groups that have fewer than K records or do not satisfy the schema.",
    "refine": "Refinement to run after grouping.",
    "effort": (
        "Time to spend on lowering the loss, with the algorithm auto or ``refine`` search: fast (under a second), "
        "balanced (seconds, the default), best (minutes)."
    ),
    "moves": (
        "Number of search moves, of the algorithm auto or ``refine`` search; equal numbers give equal releases on "
        "any machine."
    ),
    "time_limit": (
        "Stop the search after SECONDS (algorithm auto, ``refine`` search, or one mapping per attribute); the "
        "release then depends on the speed of the machine."
    ),
    "refine_settings": "Another setting of the refinement. Example: ``{\"moves\": 100000}``.",
    "measure_settings": "A setting of the measures, which are listed below. Example: ``{\"r\": \"0.7\"}``.",
    "recode": (
        "Recode each group separately (record), or each value the same way throughout the release (attribute), "
        "which loses more."
    ),
    "blocks": (
        "Split a very large table into blocks of at least N records and group the blocks in parallel; N = 100000 "
        "adds little loss."
    ),
    "memory": (
        "Memory limit, such as 500M or 2G: smaller blocks and a spill file in TMPDIR keep within it, and a run "
        "that cannot fit is refused before it starts. Hosts take a number of bytes, and Python such a text as "
        "well; 0: no limit."
    ),
    "seed": "Seed of all random choices; the same seed gives the same groups.",
    "threads": "Threads to use; the result does not depend on it.",
    "from_certificate": (
        "Verify the certificate in FILE, which kanon bound wrote for TABLE, and add its lower_bound, and the gap "
        "to it, to the figures."
    ),
    "numeric": (
        "Notation for generalised numbers and dates: [20..29], [20,29], the group mean, or two columns NAME_min "
        "and NAME_max."
    ),
    "shuffle": (
        "Release the records in the order of a hash of their released cells, which tells nothing about that of "
        "the table."
    ),
    "shuffle_seed": "``shuffle`` with the hash that N names: the same N gives the same released records the same order.",
    "joint_k": (
        "Keep every record indistinguishable from at least K-1 others even to someone who holds all releases of a "
        "state, or persons if there is an entity; records are withheld until a later release, or moved to another "
        "group, where necessary. off: warn only."
    ),
    "grow_taxonomy": "Add unknown values below the root of the taxonomy instead of rejecting them.",
    "again": "Apply DELTA even if it was the last one applied (by default a repeated delta is refused).",
    "certificate": "Write the certificate: JSON with a price for each record, which anyone who has the table can check.",
    "page": "Also draw the loss against risk, protection and query error: a page if FILE ends in .html, else SVG.",
    "column": "The column of the table.",
    "table": "Check and show: the table whose values the taxonomy must have.",
    "widths": "Build: bands of numbers of these widths, each a multiple of the one before, such as 5,20.",
    "frequencies": "Build: so many bands of numbers with about as many records each, the finest level first, such as 16,4.",
    "dates": "Build: dates to month, quarter, year, decade: one or more of them in this order.",
    "mask": "Build: mask one character per level, from the right or the left.",
    "prefixes": "Build: the first N characters, the longest prefix first, such as 3,1.",
    "rare": "Build: put the values of fewer than N records below a node \"other\".",
    "form": "The form that is written; auto goes by the ending of the output: .txt, .yaml, .json, else csv.",
    "depth": "Show: so many levels below the root.",
    "wait_seconds": "How long to wait while another process works on STATE.",
    "strict": "Fail if a column has no role.",
}

#: The words of arguments that take one of several, by name; of mappings for each column.
WORDS = {
    "default_role": ("quasi", "sensitive", "identifying", "insensitive"),
    "effort": ("fast", "balanced", "best"),
    "empty": ("missing", "value"),
    "ends": ("exact", "drawn"),
    "form": ("auto", "csv", "indented", "yaml", "parents", "json"),
    "mask": ("right", "left"),
    "masks": ("right", "left"),
    "numeric": ("columns", "interval", "mean"),
    "recode": ("record", "attribute"),
    "suppressed": ("drop", "keep"),
    "types": ("integer", "decimal", "date", "categorical", "ordinal"),
}

#: What is said of a column in `columns`, and the argument that says it of several.
FIELDS = {
    "taxonomy": "taxonomies",
    "bands": "bands",
    "top": "top",
    "bottom": "bottom",
    "mask": "masks",
    "weight": "weights",
    "permute": "permute",
    "ends": "ends",
    "type": "types",
    "order": "orders",
    "format": "formats",
    "decimal": "decimal",
    "thousands": "thousands",
}

#: What a mapping looks like, by argument.
EXAMPLES = {
    "taxonomies": "{\"job\": \"job.csv\"}",
    "bands": "{\"age\": 5}",
    "top": "{\"age\": 90}",
    "bottom": "{\"income\": 1000}",
    "masks": "{\"zip\": \"right\"}",
    "weights": "{\"age\": 2}",
    "ends": "{\"age\": \"drawn\"}",
    "types": "{\"age\": \"integer\"}",
    "orders": "{\"school\": [\"none\", \"primary\", \"secondary\"]}",
    "formats": "{\"born\": \"%d.%m.%Y\"}",
    "settings": "{\"ties\": \"relaxed\"}",
    "refine_settings": "{\"moves\": 100000}",
    "measure_settings": "{\"r\": \"0.7\"}",
}

#: What pykanon.anonymize takes and Spark does not, and why.
NOT_IN_SPARK = {
    "permute": "a task has only some of the rows",
    "ends": "a task has only some of the rows",
    "suppressed": "suppressed records leave the tasks that know them",
    "singled_out": "rows are compared with all others, and a task has only some of them",
    "population": "a release is checked in one process",
    "time_limit": "the release would depend on the speed of the executors",
    "memory": "an executor has its limit from Spark",
    "threads": "spark.task.cpus says it",
    "from_certificate": "the program verifies certificates",
    "shuffle": "rows of a DataFrame have no order; orderBy(rand()) gives them one",
    "shuffle_seed": "rows of a DataFrame have no order; orderBy(rand()) gives them one",
    "joint_k": "a state is one file of one process",
}
