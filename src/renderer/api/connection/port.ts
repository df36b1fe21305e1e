/** The message that the preload posts to the page, with the port as its only transferred object. */
export const PORT_MESSAGE = 'planchet:port';
