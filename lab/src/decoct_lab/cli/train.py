"""`decoct train`: fine-tune the small models that Decoct can use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from decoct.cli import options, show

app = typer.Typer(help="Fine-tune small models (extra: train).", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Fine-tune small models (extra: train)."""


@app.command("cas")
def cas(
    base: Annotated[
        str, typer.Option("--base", help="The base model: a folder, a .gguf file or a hub name.", metavar="MODEL")
    ],
    out: Annotated[Path, typer.Option("--out", help="Where checkpoints, the curve and the merged model go.")],
    questions: Annotated[int, typer.Option("--questions", min=1, help="Generated worlds to make examples of.")] = 2000,
    steps: Annotated[int, typer.Option("--steps", help="Stop after this many updates; 0 runs two epochs.")] = 0,
    passages: Annotated[
        str | None,
        typer.Option("--passages", help="Also plant conflicts in the real passages of this public set.", metavar="SET"),
    ] = None,
    data: Annotated[Path | None, typer.Option("--data", help="Where the public sets lie (with --passages).")] = None,
    task: Annotated[str, typer.Option("--task", help="cas, or reader: the baseline that reads raw documents.")] = "cas",
    teacher: Annotated[
        str | None, typer.Option("--teacher", help="A language model whose checked traces are added.")
    ] = None,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Examples a step.")] = 1,
    accumulate: Annotated[int, typer.Option("--accumulate", min=1, help="Steps an update.")] = 16,
    max_length: Annotated[int, typer.Option("--max-length", help="Longest example in tokens.")] = 4096,
    save_every: Annotated[int, typer.Option("--save-every", help="Updates between checkpoints.")] = 200,
    gate_questions: Annotated[
        int, typer.Option("--gate", min=0, help="Held-out worlds to judge the model on; 0 for none.")
    ] = 50,
    seed: Annotated[int, typer.Option("--seed", help="Seed of data and training.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the newest checkpoint.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Train the model that extracts, checks and synthesises for CASC: data, LoRA, export, and the gate against the rules."""
    from decoct.errors import ConfigError
    from decoct_lab.dataset import load
    from decoct_lab.train.examples import CAS_TASKS, mixed, of_records
    from decoct_lab.train.gate import gate
    from decoct_lab.train.lora import LoraSettings, fine_tune
    from decoct_lab.train.transformers_llm import TransformersLLM
    from decoct_lab.worlds.generate import worlds

    if task not in ("cas", "reader"):
        raise ConfigError(f"--task is cas or reader, not {task!r}")
    real = load(passages, data) if passages is not None else None
    made = list(of_records(mixed(seed, questions, real), seed, CAS_TASKS if task == "cas" else ("reader",)))
    if teacher is not None:
        from decoct.llm.resolve import open_llm
        from decoct.settings import load_settings
        from decoct_lab.train.teacher import traces

        made += traces(list(mixed(seed + 1, questions, real)), open_llm(teacher, load_settings().models))
    settings = LoraSettings(
        base, out, steps=steps, batch=batch, accumulate=accumulate, max_length=max_length, save_every=save_every, seed=seed
    )  # fmt: skip
    record = fine_tune(settings, made, resume=resume)
    if task == "cas" and gate_questions:
        # Held-out families, half of them in other words than the question's.
        half = gate_questions // 2
        held_out = [
            *worlds(seed, gate_questions - half, "test"),
            *(worlds(seed, half, "paraphrased-test") if half else ()),
        ]
        record["gate"] = gate(TransformersLLM(out / "merged"), held_out).as_dict()
    if json:
        show.as_json(record)
        return
    typer.echo(
        f"{record['examples']} examples, {record['steps']} updates, loss {record['first_loss']} -> {record['last_loss']}"
    )
    typer.echo(f"merged model: {record['merged']}")
    if "gate" in record:
        verdict = "passed" if record["gate"]["passed"] else "not passed: keep the rules"
        typer.echo(f"gate {verdict}: " + ", ".join(f"{key} {value}" for key, value in record["gate"].items()))


@app.command("reader")
def reader(
    out: Annotated[Path, typer.Option("--out", help="Where examples, checkpoints, curve, figures and the model go.")],
    base: Annotated[
        str, typer.Option("--base", help="The encoder to start from: a folder or a hub name.", metavar="MODEL")
    ] = "sentence-transformers/all-MiniLM-L6-v2",
    data: Annotated[Path, typer.Option("--data", help="The folder of public data sets.")] = Path("../shared/data"),
    squad: Annotated[
        list[str] | None,
        typer.Option("--squad", help="Further questions in SQuAD's form; may be given often.", metavar="NAME=FILE"),
    ] = None,
    boolq: Annotated[
        list[str] | None,
        typer.Option(
            "--boolq", help="Questions of yes or no in BoolQ's form; may be given often.", metavar="NAME=FILE"
        ),
    ] = None,
    headings: Annotated[
        list[str] | None,
        typer.Option(
            "--headings", help="Documents whose headings are asked; may be given often.", metavar="NAME=FOLDER"
        ),
    ] = None,
    silver: Annotated[
        list[Path] | None, typer.Option("--silver", help="Files that `decoct train reader-questions` wrote.")
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option("--without", help="Leave this public set out (for figures out of domain).")
    ] = None,
    epochs: Annotated[float, typer.Option("--epochs", help="How often each example is seen.")] = 2.0,
    rate: Annotated[float, typer.Option("--rate", help="The encoder's highest learning rate.")] = 1.2e-4,
    start: Annotated[str, typer.Option("--start", help="Weights (weights.pt) to go on from.")] = "",
    seed: Annotated[int, typer.Option("--seed", help="Seed of data and training.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the newest checkpoint in --out.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Train the small reader on public questions: examples, training, calibration, figures on held-back documents, int8 export."""
    from decoct_lab.train.reader.run import ReaderRun, train_reader

    run = ReaderRun(
        out, base, data, _named(squad, "--squad"), _named(boolq, "--boolq"), _named(headings, "--headings"),
        tuple(silver or ()), tuple(without or ()), epochs=epochs, rate=rate, start=start, seed=seed,
    )  # fmt: skip
    record = train_reader(run, resume=resume, say=lambda line: typer.echo(line, err=True))
    if json:
        show.as_json(record)
        return
    typer.echo(f"{record['train']} examples, {record['dev']} held back; model: {record['model']}")
    for name, row in record["figures"].items():
        typer.echo(
            f"{name:18} " + ", ".join(f"{key} {value}" for key, value in row.items() if not isinstance(value, dict))
        )


@app.command("embedder")
def embedder(
    out: Annotated[Path, typer.Option("--out", help="Where questions, checkpoints, the curve and the model go.")],
    library: options.LibraryOption = None,
    llm: Annotated[str | None, typer.Option("--llm", help="The language model that writes questions.")] = None,
    questions: Annotated[
        Path | None,
        typer.Option("--questions", help='Questions of your own: JSON lines {"question", "doc_id", "start", "end"}.'),
    ] = None,
    base: Annotated[
        str,
        typer.Option(
            "--base",
            help="The encoder to start from: the bundled one, or float32 weights by folder or hub name.",
            metavar="MODEL",
        ),
    ] = "minilm",
    chunks: Annotated[int, typer.Option("--chunks", help="Chunks to ask about, two questions each.")] = 5000,
    epochs: Annotated[int, typer.Option("--epochs", help="How often each question is seen.")] = 2,
    rate: Annotated[float, typer.Option("--rate", help="The highest learning rate.")] = 3e-5,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the draw and of training.")] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the newest checkpoint in --out.")] = False,
    json: options.JSONOption = False,
) -> None:
    """Adapt the bundled embedder to a library's documents: questions on its chunks, contrastive training, and a comparison.

    The model is judged on questions about documents that it was not trained on, over all chunks of the library. Only where it is better is
    it put into OUT/model, for `decoct ingest --rebuild --embedder onnx:OUT/model`; else it stays in OUT/not-better, and the exit code is 1.
    """
    from decoct.library import Library
    from decoct_lab.train.embedder.run import EmbedderRun, train_embedder

    run = EmbedderRun(out, base, chunks, epochs, rate, questions=questions, seed=seed)
    with Library.open(library or options.settings().library, llm=llm, create=False) as opened:
        trained = train_embedder(run, opened, resume=resume, say=lambda line: typer.echo(line, err=True))
    if json:
        show.as_json(trained.as_dict())
    else:
        found = trained.comparison
        typer.echo(
            f"held back: {found.questions} questions over {found.chunks} chunks; right chunk among the first five "
            f"{found.found_before:.3f} -> {found.found_after:.3f}, reciprocal rank {found.gain:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"
        )
        typer.echo(
            f"better: decoct ingest --rebuild --embedder onnx:{trained.model}"
            if found.better
            else f"not better than the library's own embedder beyond chance: keep that one ({trained.model} has the weights)"
        )
    if not trained.comparison.better:
        raise typer.Exit(1)


@app.command("reader-questions")
def reader_questions(
    folders: Annotated[list[Path], typer.Argument(help="Folders of documents to ask about.")],
    out: Annotated[
        Path, typer.Option("--out", help="The file of questions; what is in it already is not asked again.")
    ],
    llm: Annotated[str, typer.Option("--llm", help="The language model that writes and answers.")],
    most: Annotated[int, typer.Option("--most", min=1, help="Passages to ask about.")] = 500,
    seed: Annotated[int, typer.Option("--seed", help="Which passages.")] = 0,
) -> None:
    """Let a language model write questions on documents for `train reader`; kept are those it answers alike when asked back."""
    from itertools import islice

    from decoct.llm.resolve import open_llm
    from decoct.settings import load_settings
    from decoct_lab.train.reader.headings import passages_of
    from decoct_lab.train.reader.questions import write_questions

    model = open_llm(llm, load_settings().models)
    kept = write_questions(
        islice(passages_of(folders, seed), most), model, out, say=lambda line: typer.echo(line, err=True)
    )
    typer.echo(f"{kept} questions kept in {out}")


def _named(given: list[str] | None, option: str) -> dict[str, Path]:
    from decoct.errors import ConfigError

    pairs = [text.partition("=") for text in given or ()]
    if wrong := [name for name, sign, path in pairs if not (name and sign and path)]:
        raise ConfigError(f"{option} wants NAME=PATH, not {wrong[0]!r}")
    names = [name for name, _, _ in pairs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ConfigError(f"{option} names {twice[0]!r} twice; give each file a name of its own")
    return {name: Path(path) for name, _, path in pairs}


@app.command("gguf")
def gguf(
    model: Annotated[Path, typer.Argument(help="The folder `merged` of a trained model.")],
    out: Annotated[Path, typer.Option("--out", help="The GGUF file to write.")],
    converter: Annotated[
        Path | None,
        typer.Option("--converter", help="llama.cpp's folder or its convert_hf_to_gguf.py; else $LLAMA_CPP."),
    ] = None,
    kind: Annotated[str, typer.Option("--type", help="Numbers: f32, f16, bf16 or q8_0.")] = "f16",
) -> None:
    """Write a trained model as a GGUF file, which `--llm FILE` runs; needs a checkout of llama.cpp."""
    from decoct_lab.train.gguf import to_gguf

    typer.echo(str(to_gguf(model, out, converter, kind)))
