import "@/app/theme.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Logo } from "@/components/logo";

const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <div className="flex h-full items-center justify-center gap-3 text-fg2">
        <Logo size={24} /> Lararium
      </div>
    </StrictMode>,
  );
}
