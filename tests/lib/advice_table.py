"""The rows of profiler/model/advice.def: what a finding advises, by case and framework."""
import os
import re
from collections import namedtuple

Row = namedtuple("Row", "finding case frameworks text")
STRING = r'"(?:[^"\\]|\\.)*"'


def rows():
    with open(f"{os.environ['SRC']}/profiler/model/advice.def", encoding="utf-8") as file:
        text = file.read()
    found = []
    for call in re.findall(rf"^ADVICE\(((?:{STRING}|[\s,])*)\)", text, re.M):
        words = re.split(r",\s*(?=\")", re.sub(r'"\s+"', "", call))
        finding, case, frameworks, advice = (word[1:-1].replace('\\"', '"') for word in words)
        found.append(Row(finding, case, frameworks.split(), advice))
    assert len(found) == text.count("\nADVICE("), (len(found), "a row is not understood")
    return found


def switches(text):
    """(class, argument) of every switch that a text names: Trainer(callbacks=...)."""
    for name, arguments in re.findall(r"\b(Trainer|TrainingArguments|DataLoader)\(([^()]*(?:\([^()]*\)[^()]*)*)\)", text):
        for argument in re.findall(r"(\w+)=", arguments):
            yield name, argument
