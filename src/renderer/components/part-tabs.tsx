import { Tabs } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';

interface PartTabsProps<Key extends string> {
  /** Label of the tab list. */
  label: string;
  parts: readonly { key: Key; title: string; View: ComponentType; aside?: ReactNode }[];
  current: Key;
  onChoose: (key: Key) => void;
}

/** The parts of a page as tabs. Only the selected part is rendered. */
export function PartTabs<Key extends string>({ label, parts, current, onChoose }: PartTabsProps<Key>) {
  return (
    <Tabs
      keepMounted={false}
      value={current}
      onChange={(value) => {
        const part = parts.find(({ key }) => key === value);
        if (part !== undefined) onChoose(part.key);
      }}
    >
      <Tabs.List mb="md" aria-label={label}>
        {parts.map(({ key, title, aside }) => (
          <Tabs.Tab key={key} value={key} rightSection={aside}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {parts.map(({ key, View }) => (
        <Tabs.Panel key={key} value={key}>
          <View />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
