import { Skeleton } from "@/components/skeleton";

/** The place of a transcript that is read; the composer below works already. */
export function TranscriptSkeleton() {
  return (
    <div role="status" aria-label="The session is read" className="min-h-0 grow overflow-hidden px-6 pt-7">
      <div className="mx-auto flex max-w-(--container-column) flex-col gap-3">
        <Skeleton className="h-10 w-60 self-end rounded-card" />
        <Skeleton className="h-3 w-11/12" />
        <Skeleton className="h-3 w-10/12" />
        <Skeleton className="h-3 w-5/12" />
        <Skeleton className="mt-3 h-3 w-7/12" />
        <Skeleton className="h-3 w-4/12" />
      </div>
    </div>
  );
}
