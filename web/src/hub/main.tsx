import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { TooltipProvider } from "@/components/tooltip";
import { App } from "@/hub/app";
import { startAuth } from "@/lib/auth";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="lararium-nonce"]')?.content ?? "";
if (nonce !== "") {
  setNonce(nonce);
}
startAuth();

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <TooltipProvider>
        <App />
      </TooltipProvider>
    </StrictMode>,
  );
}
