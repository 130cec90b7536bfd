import "@/app/theme.css";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "@/app/app";

// Dialogs and menus lock scrolling by a style element, which the page's policy lets in by its nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="lararium-nonce"]')?.content;
if (nonce) {
  setNonce(nonce);
}

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
