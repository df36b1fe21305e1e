import { shellQuote } from '../../../lib/shell-quote.ts';

export const snippetLanguages = ['curl', 'JavaScript', 'Python', 'C#'] as const;
export type SnippetLanguage = (typeof snippetLanguages)[number];

export interface SnippetRequest {
  /** Where the data writer listens, `http://127.0.0.1:9500`. */
  readonly base: string;
  readonly body: string;
  /** Visible ASCII; empty for none. */
  readonly tag: string;
  readonly mode: 'raw' | 'hash' | 'encrypt';
  readonly wait: 'accepted' | 'submitted' | 'mined';
}

/** A program that writes the document of the form, complete but for the API key, which it reads from the environment. */
export function snippet(language: SnippetLanguage, request: SnippetRequest): string {
  const url = `${request.base}/api/v1/write${request.wait === 'submitted' ? '' : `?wait=${request.wait}`}`;
  const extra: [string, string][] = [
    ...(request.tag === '' ? [] : [['X-Tag', request.tag] as [string, string]]),
    ...(request.mode === 'raw' ? [] : [['X-Mode', request.mode] as [string, string]]),
  ];
  switch (language) {
    case 'curl':
      return [
        `curl ${shellQuote(url)} \\`,
        `  -H "Authorization: Bearer $PLANCHET_API_KEY" \\`,
        `  -H 'Content-Type: application/json' \\`,
        // uuidgen is not everywhere.
        `  -H "Idempotency-Key: $(od -An -tx1 -N16 /dev/urandom | tr -d ' \\n')" \\`,
        ...extra.map(([name, value]) => `  -H ${shellQuote(`${name}: ${value}`)} \\`),
        `  --data-binary ${shellQuote(request.body)}`,
      ].join('\n');
    case 'JavaScript':
      return [
        `const response = await fetch(${literal(url)}, {`,
        "  method: 'POST',",
        '  headers: {',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the snippet that has the placeholder.
        '    Authorization: `Bearer ${process.env.PLANCHET_API_KEY}`,',
        "    'Content-Type': 'application/json',",
        "    'Idempotency-Key': crypto.randomUUID(),",
        ...extra.map(([name, value]) => `    '${name}': ${literal(value)},`),
        '  },',
        `  body: ${literal(request.body)},`,
        '});',
        'console.log(response.status, await response.json());',
      ].join('\n');
    case 'Python':
      return [
        'import os, urllib.error, urllib.request, uuid',
        '',
        'request = urllib.request.Request(',
        `    ${literal(url)},`,
        `    data=${literal(request.body)}.encode(),`,
        '    headers={',
        '        "Authorization": "Bearer " + os.environ["PLANCHET_API_KEY"],',
        '        "Content-Type": "application/json",',
        '        "Idempotency-Key": str(uuid.uuid4()),',
        ...extra.map(([name, value]) => `        "${name}": ${literal(value)},`),
        '    },',
        ')',
        'try:',
        '    response = urllib.request.urlopen(request)',
        'except urllib.error.HTTPError as refusal:',
        '    response = refusal',
        'print(response.status, response.read().decode())',
      ].join('\n');
    case 'C#':
      return [
        'using System;',
        'using System.Net.Http;',
        'using System.Net.Http.Headers;',
        'using System.Text;',
        '',
        'using var http = new HttpClient();',
        `var request = new HttpRequestMessage(HttpMethod.Post, ${literal(url)});`,
        'request.Headers.Authorization = new AuthenticationHeaderValue(',
        '    "Bearer", Environment.GetEnvironmentVariable("PLANCHET_API_KEY"));',
        'request.Headers.Add("Idempotency-Key", Guid.NewGuid().ToString());',
        ...extra.map(([name, value]) => `request.Headers.Add("${name}", ${literal(value)});`),
        // StringContent would add a charset, and with it other bytes to the chain than the form's.
        'request.Content = new ByteArrayContent(Encoding.UTF8.GetBytes(',
        `    ${literal(request.body)}));`,
        'request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/json");',
        'var response = await http.SendAsync(request);',
        'Console.WriteLine($"{(int)response.StatusCode} {await response.Content.ReadAsStringAsync()}");',
      ].join('\n');
  }
}

/** A string literal JavaScript, Python and C# read alike: C# takes U+2028 and U+2029 for line ends. */
function literal(text: string): string {
  return JSON.stringify(text)
    .replaceAll('\u0085', '\\u0085')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}
