import { expect, it } from "vitest";
import { freeName, tidyAddress } from "./presets";

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,38}[A-Za-z0-9])?$/;

it("takes an address as it is pasted", () => {
  expect(tidyAddress(" https://host/v1/chat/completions/ ")).toBe("https://host/v1");
  expect(tidyAddress("host.example/v1")).toBe("https://host.example/v1");
  expect(tidyAddress("localhost:8000/v1")).toBe("http://localhost:8000/v1");
  expect(tidyAddress("ftp://host")).toBe("ftp://host");
});

it("gives every address a name that no other profile has and a daemon takes", () => {
  expect(freeName("https://host.example/v1", [])).toBe("host.example");
  expect(freeName("https://host.example/v1", ["Host.example"])).toBe("host.example 2");
  const odd = ["http://127.0.0.1:8000/v1", "http://[::1]:8000/v1", "nonsense !", "", `https://${"a".repeat(90)}.example`];
  for (const address of odd) {
    const name = freeName(address, [freeName(address, [])]);
    expect(name).toMatch(NAME);
    expect(freeName(address, [])).toMatch(NAME);
  }
});
