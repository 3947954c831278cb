// scripts/openapi makes this of docs/openapi.json. A line is an operation: its id, its method, and
// its path, below /api/v1/ unless it begins with a slash. Then comes `again` for a POST that may be
// sent again, `once` for any other that may not, `form` if its body is one, and the member of the
// body by which the service knows a request again.
const TABLE = `
listAnnouncements GET announcements
putAnnouncement PUT announcements/{announcementId}
deleteAnnouncement DELETE announcements/{announcementId}
listContent GET content
checkUpload POST content/upload-precheck again
putContent PUT content/{contentId}
getContent GET content/{contentId}
deleteContent DELETE content/{contentId}
listComments GET content/{contentId}/comments
createComment POST content/{contentId}/comments again writeId
setCommentsLocked PUT content/{contentId}/comments-locked
getComment GET content/{contentId}/comments/{commentId}
updateComment PATCH content/{contentId}/comments/{commentId}
deleteComment DELETE content/{contentId}/comments/{commentId}
reportComment POST content/{contentId}/comments/{commentId}/report again
listDependents GET content/{contentId}/dependents
setContentFeatured PUT content/{contentId}/featured
listContentFiles GET content/{contentId}/files
reportContent POST content/{contentId}/report again
restoreContent POST content/{contentId}/restore again
publishRevision POST content/{contentId}/revisions again
listContentRevisions GET content/{contentId}/revisions
setCurrentRevision PUT content/{contentId}/revisions/current
getRevision GET content/{contentId}/revisions/{revisionId}
deleteRevision DELETE content/{contentId}/revisions/{revisionId}
listRevisionFiles GET content/{contentId}/revisions/{revisionId}/files
setContentStatus PUT content/{contentId}/status
sendDebugNotification POST debug/notify
createChallenge POST design-challenges
listChallenges GET design-challenges
getChallenge GET design-challenges/{challengeId}
replaceChallenge PUT design-challenges/{challengeId}
deleteChallenge DELETE design-challenges/{challengeId}
closeChallenge POST design-challenges/{challengeId}/close again
listChallengeEntries GET design-challenges/{challengeId}/entries
enterChallenge PUT design-challenges/{challengeId}/entries/{contentId}
leaveChallenge DELETE design-challenges/{challengeId}/entries/{contentId}
listEvents GET events
blockFile PUT files/{sha256}/block
unblockFile DELETE files/{sha256}/block
listIdentityOwners GET identities
listIssuers GET issuers
getMe GET me
listModerationActions GET moderation/actions
listReportedSubjects GET moderation/reports
listReports GET moderation/reports/{kind}/{id}
resolveReports PUT moderation/reports/{kind}/{id}
listStaff GET moderation/staff
listModeratedUsers GET moderation/users
getModeratedUser GET moderation/users/{userId}
listUserComments GET moderation/users/{userId}/comments
sendStudioNotification POST notifications again
listStudioNotifications GET notifications
getStudioNotification GET notifications/{notificationId}
stopStudioNotification DELETE notifications/{notificationId}
listServiceAccounts GET service-accounts
putServiceAccount PUT service-accounts/{accountId}
getServiceAccount GET service-accounts/{accountId}
deleteServiceAccount DELETE service-accounts/{accountId}
createServiceSecret POST service-accounts/{accountId}/secrets
deleteServiceSecret DELETE service-accounts/{accountId}/secrets/{secretId}
connectSession POST session/connect again
listStatistics GET statistics
getStorage GET storage
announceFiles POST uploads again
listUsers GET user
registerUser POST user
verifyEmail PUT user/email/verification
requestPasswordReset POST user/password-reset
resetPassword PUT user/password-reset once
searchUsers GET user/search
getUser GET user/{userId}
updateUser PUT user/{userId}
deleteUser DELETE user/{userId} once
listAchievements GET user/{userId}/achievements
getBan GET user/{userId}/ban
banUser PUT user/{userId}/ban
unbanUser DELETE user/{userId}/ban
listBlockedUsers GET user/{userId}/blocked
blockUser PUT user/{userId}/blocked/{otherId}
unblockUser DELETE user/{userId}/blocked/{otherId}
listUserContent GET user/{userId}/content
listDeletedContent GET user/{userId}/content/deleted
changeEmail PUT user/{userId}/email once
requestEmailVerification POST user/{userId}/email/verification
listEmblems GET user/{userId}/emblems
exportUser GET user/{userId}/export
listFollowers GET user/{userId}/followers
listFollowing GET user/{userId}/following
followUser PUT user/{userId}/following/{otherId}
unfollowUser DELETE user/{userId}/following/{otherId}
listFriendRequests GET user/{userId}/friend-requests
sendPartyInvite POST user/{userId}/friend/{friendUserId}/party-invite again
acceptPartyInvite POST user/{userId}/friend/{friendUserId}/party-invite/accept again
declinePartyInvite POST user/{userId}/friend/{friendUserId}/party-invite/decline again
addFriend PUT user/{userId}/friend/{otherId}
removeFriend DELETE user/{userId}/friend/{otherId}
sendMessage POST user/{userId}/friend/{otherId}/messages again id
listMessages GET user/{userId}/friend/{otherId}/messages
getMessage GET user/{userId}/friend/{otherId}/messages/{messageId}
listFriends GET user/{userId}/friends
listIdentities GET user/{userId}/identities
linkIdentity POST user/{userId}/identities again
unlinkIdentity DELETE user/{userId}/identities/{identityId}
getUserInfo GET user/{userId}/info
listConversations GET user/{userId}/messages
listNotifications GET user/{userId}/notifications
clearNotifications DELETE user/{userId}/notifications
markNotificationsRead POST user/{userId}/notifications/read again
getNotificationSettings GET user/{userId}/notifications/settings
setNotificationSettings PUT user/{userId}/notifications/settings
getNotificationState GET user/{userId}/notifications/state
updateNotification PATCH user/{userId}/notifications/{notificationId}
deleteNotification DELETE user/{userId}/notifications/{notificationId}
listPartyInvites GET user/{userId}/party-invites
changePassword PUT user/{userId}/password once
listProgress GET user/{userId}/progress
getProgress GET user/{userId}/progress/{key}
putProgress PUT user/{userId}/progress/{key} writeId
deleteProgress DELETE user/{userId}/progress/{key}
putRating PUT user/{userId}/rating/{contentId}
deleteRating DELETE user/{userId}/rating/{contentId}
getRatings GET user/{userId}/ratings
reportUser POST user/{userId}/report again
revokeRewards DELETE user/{userId}/rewards/{challengeId}
setUserRole PUT user/{userId}/role
listSessions GET user/{userId}/sessions
endOtherSessions DELETE user/{userId}/sessions
endSession DELETE user/{userId}/sessions/{sessionId}
getUserStorage GET user/{userId}/storage
warnUser POST user/{userId}/warning again id
listWebhooks GET webhooks
getWebhook GET webhooks/{webhookId}
putWebhook PUT webhooks/{webhookId}
deleteWebhook DELETE webhooks/{webhookId}
createWebhookSecret POST webhooks/{webhookId}/secret
sendWebhookTest POST webhooks/{webhookId}/test
checkLiveness GET /health/live
checkReadiness GET /health/ready
revokeToken POST /oauth/revoke again form
createToken POST /oauth/token form
`;

const MARKS = ["again", "once", "form"];

/** The operations by their ids: {method, path, repeatable, form, key}. */
export const OPERATIONS = new Map(
  TABLE.trim()
    .split("\n")
    .map((line) => {
      const [id, method, path, ...marks] = line.split(" ");
      const operation = {
        method,
        path: path[0] === "/" ? path : `/api/v1/${path}`,
        repeatable: method === "POST" ? marks.includes("again") : !marks.includes("once"),
        form: marks.includes("form"),
        key: marks.find((mark) => !MARKS.includes(mark)),
      };
      return [id, operation];
    }),
);
