import { expect, test } from 'vitest';
import { DisposableStore } from './disposables.ts';

test('the disposable store releases resources in reverse order, one after the other', async () => {
  const order: string[] = [];
  const disposables = new DisposableStore();
  disposables.add(() => order.push('first'));
  disposables.add(async () => {
    order.push('second begins');
    await Promise.resolve();
    order.push('second ends');
  });
  disposables.add(() => order.push('third'));
  await disposables.dispose();
  expect(order).toEqual(['third', 'second begins', 'second ends', 'first']);
});

test('the disposable store releases the other resources when some fail, and reports every error', async () => {
  const released: string[] = [];
  const disposables = new DisposableStore();
  disposables.add(() => released.push('first'));
  disposables.add(() => {
    throw new Error('sync');
  });
  disposables.add(() => released.push('second'));
  disposables.add(() => Promise.reject(new Error('async')));
  const failure = await disposables.dispose().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AggregateError);
  expect((failure as AggregateError).errors).toEqual([new Error('async'), new Error('sync')]);
  expect(released).toEqual(['second', 'first']);
});

test('the disposable store releases each resource once, also when it is disposed of twice at the same time', async () => {
  let count = 0;
  const disposables = new DisposableStore();
  disposables.add(async () => {
    await Promise.resolve();
    count += 1;
  });
  await Promise.all([disposables.dispose(), disposables.dispose()]);
  await disposables.dispose();
  expect(count).toBe(1);
});

test('the disposable store releases what is added while it disposes', async () => {
  const order: string[] = [];
  const disposables = new DisposableStore();
  disposables.add(() => {
    order.push('outer');
    disposables.add(() => order.push('added meanwhile'));
  });
  await disposables.dispose();
  expect(order).toEqual(['outer', 'added meanwhile']);
});

test('the disposable store can be filled again after it was disposed of', async () => {
  const order: string[] = [];
  const disposables = new DisposableStore();
  disposables.add(() => order.push('first run'));
  await disposables.dispose();
  disposables.add(() => order.push('second run'));
  await disposables.dispose();
  expect(order).toEqual(['first run', 'second run']);
});
