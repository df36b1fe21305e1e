// Before anything is painted: the colours that the person chose, or those of the system. The page's own code takes over from here.
const chosen = localStorage.getItem('planchet-color-scheme');
const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
document.documentElement.dataset.mantineColorScheme = dark ? 'dark' : 'light';
