import { expect, it } from "vitest";
import { rulesOf, withoutRule, withRule } from "./rules";

const LISTS = {
  allow: ["Bash(npm test)", "Nonsense("],
  ask: [],
  deny: ["Bash(rm *)"],
  problems: ["Nonsense( is no rule: a bracket is missing."],
};

it("lists rules in the order in which they decide, with what is wrong with one", () => {
  expect(rulesOf(LISTS).map(({ verdict, text }) => [verdict, text])).toEqual([
    ["deny", "Bash(rm *)"],
    ["allow", "Bash(npm test)"],
    ["allow", "Nonsense("],
  ]);
  expect(rulesOf(LISTS)[2]?.problem).toContain("a bracket is missing");
});

it("sends all rules with each change and doubles none", () => {
  expect(withRule(LISTS, "allow", "Bash(npm test)").allow).toHaveLength(2);
  expect(withRule(LISTS, "ask", "Edit(/migrations/**)")).toMatchObject({ ask: ["Edit(/migrations/**)"], deny: ["Bash(rm *)"] });
  expect(withoutRule(LISTS, { verdict: "deny", text: "Bash(rm *)", problem: "" })).toEqual({
    allow: LISTS.allow,
    ask: [],
    deny: [],
  });
});
