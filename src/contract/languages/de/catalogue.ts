import { catalogueOf } from '../catalogue.ts';

/** All German texts of the page, in one file that is loaded where German is shown. */
export default catalogueOf(import.meta.glob(['./**/*.json', '!./shell.json'], { eager: true, import: 'default' }));
