"""A local Hugging Face model as an `LLM`, for judging what was just trained; greedy, one request after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from decoct import trace
from decoct.errors import ModelError
from decoct.llm.base import Reply, Request
from decoct_lab.train.lora import train_modules


@dataclass(slots=True)
class TransformersLLM:
    """The model in `folder`. Replies are not constrained to a schema: the gate measures whether they fit by themselves."""

    folder: Path
    _model: Any = None
    _tokenizer: Any = None

    @property
    def fingerprint(self) -> str:
        """The folder's name."""
        return f"transformers:{self.folder.name}"

    def complete(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        """See `LLM.complete`."""
        torch, transformers = train_modules("torch", "transformers")
        if self._model is None:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(str(self.folder))
            self._model = transformers.AutoModelForCausalLM.from_pretrained(str(self.folder)).eval()
        return [self._one(request, torch) for request in requests]

    def _one(self, request: Request, torch: Any) -> Reply:  # noqa: ANN401 - the module
        chat = [{"role": message.role, "content": message.content} for message in request.messages]
        text = self._tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        ids = self._tokenizer(text, return_tensors="pt", add_special_tokens=False).input_ids
        with torch.no_grad():
            out = self._model.generate(ids, max_new_tokens=request.max_tokens, do_sample=False)
        new = out[0][ids.shape[1] :]
        trace.count(model_calls=1, prompt_tokens=int(ids.shape[1]), completion_tokens=len(new))
        reply = self._tokenizer.decode(new, skip_special_tokens=True)
        finish = "length" if len(new) >= request.max_tokens else "stop"
        return Reply(reply, int(ids.shape[1]), len(new), finish)  # type: ignore[arg-type]
