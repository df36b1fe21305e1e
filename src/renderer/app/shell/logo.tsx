export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden focusable="false">
      <circle cx="12" cy="12" r="10.5" fill="none" stroke="var(--pl-accent)" strokeWidth="2" />
      <circle cx="12" cy="12" r="6.2" fill="var(--pl-accent)" />
      <path
        d="M8.4 11.1a3.9 3.9 0 0 1 4.4-3"
        fill="none"
        stroke="var(--pl-surface)"
        strokeWidth="1.4"
        strokeLinecap="round"
      />
    </svg>
  );
}
