/** Shows the frame that the document holds, then runs the page: its code would keep the screen empty. */
import "@/app/theme.css";

/** A hidden page paints nothing. */
const LONGEST_MS = 100;

let begun = false;

function begin(): void {
  if (!begun) {
    begun = true;
    void import("@/hub/main");
  }
}

if (document.hidden) {
  begin();
} else {
  requestAnimationFrame(() => setTimeout(begin));
  setTimeout(begin, LONGEST_MS);
}
