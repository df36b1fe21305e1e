import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { codeTexts, type ErrorCode, errorClasses, errorCodes, errorEntries } from '../../../contract/index.ts';
import { renderPart } from '../../test-support/render.tsx';
import { ErrorPage } from './error-page.tsx';

describe('the page of an error code', () => {
  it.each(errorCodes)('says what %s means and what to do', (code: ErrorCode) => {
    renderPart(<ErrorPage code={code} />);
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe(`Error ${code}`);
    expect(screen.getAllByText(codeTexts[code].meaning)[0]).toBeTruthy();
    expect(screen.getByRole('region', { name: 'What to do' }).textContent).toContain(codeTexts[code].hint);
    const forScripts = screen.getByRole('region', { name: 'For scripts' }).textContent;
    expect(forScripts).toContain(`docs/errors.md#${code}`);
    expect(forScripts).toContain(String(errorClasses[code].httpStatus));
  });

  it('lists only the messages of the code, without those that only pass on a text', () => {
    renderPart(<ErrorPage code="port-in-use" />);
    const cells = screen.getAllByRole('cell').map((cell) => cell.textContent);
    expect(cells).toContain(errorEntries['server.port-in-use'].message);
    expect(cells).not.toContain(errorEntries['settings.unknown-key'].message);
    expect(cells.filter((text) => /^\{\w+\}$/.test(text ?? ''))).toEqual([]);
  });

  it('says so if there is no such code', () => {
    renderPart(<ErrorPage code="no-such-code" />);
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('No error has this code');
  });
});
