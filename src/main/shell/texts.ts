/** Every text that the shell itself displays; the page has catalogues of its own. */
export const texts = {
  appName: 'Planchet',
  openLink: 'Open this address in your browser?',
  open: 'Open',
  cancel: 'Cancel',
  reload: 'Reload',
  quit: 'Quit',
  crashed: 'The window of Planchet has stopped working.',
  crashedDetail:
    'Nothing was approved or signed in the meantime, and running mints continue. Reload the window to see them.',
  startFailed: 'Planchet could not start',
  debugRefused: 'Planchet does not start with a debugging switch, because it would let other programs read your keys.',
  fileMenu: 'File',
  editMenu: 'Edit',
  viewMenu: 'View',
  windowMenu: 'Window',
} as const;
