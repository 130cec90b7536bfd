"""Tool `ask_user`: 1 to 4 questions to the person, with 2 to 4 options each."""

from typing import Annotated

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator

from lararium_daemon.protocol.messages import ToolResult
from lararium_daemon.protocol.permissions import QuestionAnswer, QuestionItem, QuestionOption
from lararium_daemon.tools.context import ToolContext
from lararium_daemon.tools.registry import Preview, Tool, ToolInput, register

Text = Annotated[str, Field(min_length=1, max_length=2_000)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class AskOption(_Part):
    """One option."""

    label: Text = Field(description="A few words; unique in its question.")
    description: str = Field(default="", max_length=2_000, description="What it would mean.")


class AskItem(_Part):
    """One question."""

    question: Text = Field(validation_alias=AliasChoices("question", "text"))
    options: list[AskOption] = Field(min_length=2, max_length=4)
    multiple: bool = Field(default=False, description="More than one option may be chosen.")

    @model_validator(mode="after")
    def _labels_differ(self) -> "AskItem":
        labels = [option.label for option in self.options]
        if len(set(labels)) < len(labels):
            raise ValueError("two options have the same label")
        return self


class AskUserInput(ToolInput):
    """Arguments of `ask_user`."""

    questions: list[AskItem] = Field(min_length=1, max_length=4)


class AskUser(Tool[AskUserInput]):
    """Asks the person."""

    name = "ask_user"
    description = (
        "Ask the person 1 to 4 questions with 2 to 4 options each, and wait for the answers; they "
        "may also answer in their own words. Ask only what you cannot find out or decide yourself."
    )
    permission = ""
    effect = "none"
    input_model = AskUserInput

    async def preview(self, args: AskUserInput, context: ToolContext) -> Preview:
        """Show the first question."""
        return Preview(title=args.questions[0].question.split("\n", 1)[0][:200])

    async def run(self, args: AskUserInput, preview: Preview, context: ToolContext) -> ToolResult:
        """Ask and wait, without limit."""
        answers = await context.ask([_item(question) for question in args.questions])
        if not answers:
            return ToolResult(
                "Nobody is there to answer. Decide yourself, say what you assumed, and go on.",
                is_error=True,
                summary="nobody to answer",
            )
        pairs = zip(args.questions, answers, strict=False)
        text = "\n\n".join(f"{question.question}\n{_words(answer)}" for question, answer in pairs)
        return ToolResult(text, summary="answered", metadata={"answers": len(answers)})


def _item(question: AskItem) -> QuestionItem:
    options = [QuestionOption(option.label, option.description) for option in question.options]
    return QuestionItem(question.question, options, question.multiple)


def _words(answer: QuestionAnswer) -> str:
    chosen = ", ".join(answer.selected)
    if chosen and answer.text:
        return f"→ {chosen}. In their words: {answer.text}"
    if answer.text:
        return f"→ In their words: {answer.text}"
    return f"→ {chosen}" if chosen else "→ They leave it to you."


register(AskUser())
