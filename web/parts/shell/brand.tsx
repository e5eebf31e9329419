/** The logo: the ring of a day with its working hours. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg className="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <circle cx="16" cy="16" r="11.5" fill="none" stroke="currentColor" strokeOpacity="0.28" strokeWidth="4" />
      <path
        d="M6 10.2 A11.5 11.5 0 0 1 27.3 13.9"
        fill="none"
        stroke="var(--on-pine-accent)"
        strokeWidth="4"
        strokeLinecap="round"
      />
      <path d="M16 16 V9.6 M16 16 L20 18.4" stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" />
    </svg>
  )
}
