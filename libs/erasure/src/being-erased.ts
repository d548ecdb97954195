/** SQL: the account with this number is being erased, or has been. @param userId SQL */
export const beingErased = (userId: string): string => `EXISTS (SELECT FROM erasures e WHERE e.user_id = ${userId})`;
