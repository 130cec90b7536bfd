import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// jsdom draws nothing, so there is nothing to scroll.
Element.prototype.scrollIntoView = () => undefined;

afterEach(() => {
  cleanup();
  sessionStorage.clear();
});

// A bound, not an expectation: on a busy machine what a test waits for may take a while.
configure({ asyncUtilTimeout: 10_000 });
