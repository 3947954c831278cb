// scripts/openapi makes this of docs/openapi.json. A line is a path, below /api/v1/ unless it
// begins with a slash, and the ids of its operations. After an id come its method, unless its verb
// says it; `again` for a POST that may be sent again, `once` for any other that may not; `form` if
// its body is one; and the member of the body by which the service knows a request again.
const TABLE = `
announcements listAnnouncements
announcements/{announcementId} getAnnouncement putAnnouncement deleteAnnouncement
collections/{collectionId} getCollection
collections/{collectionId}/items listCollectionItems
collections/{collectionId}/report reportCollection:again
content listContent
content/upload-precheck checkUpload:again
content/{contentId} putContent getContent deleteContent
content/{contentId}/comments listComments createComment:again:writeId
content/{contentId}/comments-locked setCommentsLocked
content/{contentId}/comments/{commentId} getComment updateComment:PATCH deleteComment
content/{contentId}/comments/{commentId}/report reportComment:again
content/{contentId}/dependents listDependents
content/{contentId}/featured setContentFeatured
content/{contentId}/files listContentFiles
content/{contentId}/members listMembers
content/{contentId}/members/{otherId} putMember removeMember:DELETE
content/{contentId}/name setContentName
content/{contentId}/names listContentNames
content/{contentId}/report reportContent:again
content/{contentId}/restore restoreContent:again
content/{contentId}/revisions publishRevision:again listContentRevisions
content/{contentId}/revisions/current setCurrentRevision
content/{contentId}/revisions/{revisionId} getRevision deleteRevision
content/{contentId}/revisions/{revisionId}/files listRevisionFiles
content/{contentId}/revisions/{revisionId}/requires putRequires
content/{contentId}/staff-tags setStaffTags
content/{contentId}/statistics listContentStatistics
content/{contentId}/status setContentStatus
content/{contentId}/testers listTesters
content/{contentId}/testers/{otherId} addTester:PUT removeTester:DELETE
content/{contentId}/visibility setContentVisibility
debug/notify sendDebugNotification
design-challenges createChallenge listChallenges
design-challenges/{challengeId} getChallenge replaceChallenge:PUT deleteChallenge
design-challenges/{challengeId}/close closeChallenge:again
design-challenges/{challengeId}/entries listChallengeEntries
design-challenges/{challengeId}/entries/{contentId} enterChallenge:PUT leaveChallenge:DELETE
events listEvents
files/{sha256}/block blockFile:PUT unblockFile:DELETE
identities listIdentityOwners
issuers listIssuers
legal getLegal
me getMe
moderation/actions listModerationActions
moderation/appeals listAppeals
moderation/appeals/{appealId} decideAppeal:PUT
moderation/decisions createDecision:again:id listDecisions
moderation/decisions/{decisionId} getDecision
moderation/decisions/{decisionId}/reversal reverseDecision:again
moderation/holds listHolds
moderation/holds/{kind}/{id} putHold deleteHold getHold
moderation/holds/{kind}/{id}/copy getHoldCopy
moderation/holds/{kind}/{id}/escalations/{escalationId} putEscalation
moderation/reports listReportedSubjects
moderation/reports/{kind}/{id} listReports resolveReports:PUT
moderation/staff listStaff
moderation/users listModeratedUsers
moderation/users/{userId} getModeratedUser
moderation/users/{userId}/clear getUserClearance clearUser:again
moderation/users/{userId}/comments listUserComments
moderation/users/{userId}/email setUserEmail
notices createNotice
notices/{noticeId} getNotice
notices/{noticeId}/appeal appealNotice:again
notifications sendStudioNotification:again:id listStudioNotifications
notifications/{notificationId} getStudioNotification stopStudioNotification:DELETE
service getService
service-accounts listServiceAccounts
service-accounts/{accountId} putServiceAccount getServiceAccount deleteServiceAccount
service-accounts/{accountId}/secrets createServiceSecret
service-accounts/{accountId}/secrets/{secretId} deleteServiceSecret
session/connect connectSession:again
statistics listStatistics
storage getStorage
suggestions getSuggestion
tags listTags
uploads announceFiles:again
user listUsers registerUser
user/email/verification verifyEmail:PUT
user/password-reset requestPasswordReset resetPassword:PUT:once
user/search searchUsers:GET
user/{userId} getUser updateUser:PUT deleteUser:once
user/{userId}/account putAccount
user/{userId}/achievements listAchievements
user/{userId}/ban getBan banUser:PUT unbanUser:DELETE
user/{userId}/blocked listBlockedUsers
user/{userId}/blocked/{otherId} blockUser:PUT unblockUser:DELETE
user/{userId}/collections listCollections
user/{userId}/collections/{collectionId} putCollection deleteCollection
user/{userId}/collections/{collectionId}/items/{contentId} putCollectionItem deleteCollectionItem
user/{userId}/content listUserContent
user/{userId}/content/deleted listDeletedContent
user/{userId}/decisions listUserDecisions
user/{userId}/decisions/{decisionId} getUserDecision
user/{userId}/decisions/{decisionId}/appeal appealDecision:again
user/{userId}/email changeEmail:PUT:once
user/{userId}/email/verification requestEmailVerification
user/{userId}/emblems listEmblems
user/{userId}/export exportUser:GET
user/{userId}/followers listFollowers
user/{userId}/following listFollowing
user/{userId}/following/{otherId} followUser:PUT unfollowUser:DELETE
user/{userId}/friend-requests listFriendRequests
user/{userId}/friend/{friendUserId}/party-invite sendPartyInvite:again
user/{userId}/friend/{friendUserId}/party-invite/accept acceptPartyInvite:again
user/{userId}/friend/{friendUserId}/party-invite/decline declinePartyInvite:again
user/{userId}/friend/{otherId} addFriend:PUT removeFriend:DELETE
user/{userId}/friend/{otherId}/messages sendMessage:again:id listMessages
user/{userId}/friend/{otherId}/messages/{messageId} getMessage unsendMessage:DELETE
user/{userId}/friends listFriends
user/{userId}/identities listIdentities linkIdentity:again
user/{userId}/identities/{identityId} unlinkIdentity:DELETE
user/{userId}/info getUserInfo
user/{userId}/memberships listMemberships
user/{userId}/messages listConversations
user/{userId}/notifications listNotifications clearNotifications:DELETE
user/{userId}/notifications/read markNotificationsRead:again
user/{userId}/notifications/settings getNotificationSettings setNotificationSettings
user/{userId}/notifications/state getNotificationState
user/{userId}/notifications/{notificationId} updateNotification:PATCH deleteNotification
user/{userId}/party-invites listPartyInvites
user/{userId}/password changePassword:PUT:once
user/{userId}/plays reportPlay:again
user/{userId}/portal-codes createPortalCode:again
user/{userId}/progress listProgress putProgressByKey:writeId deleteProgressByKey
user/{userId}/progress/{key} getProgress putProgress:writeId deleteProgress
user/{userId}/rating/{contentId} putRating deleteRating
user/{userId}/ratings getRatings
user/{userId}/report reportUser:again
user/{userId}/reports/{kind}/{id}/appeal appealReport:again
user/{userId}/rewards/{challengeId} revokeRewards:DELETE
user/{userId}/role setUserRole
user/{userId}/sessions listSessions endOtherSessions:DELETE
user/{userId}/sessions/{sessionId} endSession:DELETE
user/{userId}/storage getUserStorage
user/{userId}/subscription/{contentId} putSubscription deleteSubscription getSubscription
user/{userId}/subscriptions listSubscriptions
user/{userId}/subscriptions/state getLibrary
user/{userId}/terms acceptTerms:PUT
user/{userId}/username setUsername
user/{userId}/warning warnUser:again:id
webhooks listWebhooks
webhooks/{webhookId} getWebhook putWebhook deleteWebhook
webhooks/{webhookId}/secret createWebhookSecret
webhooks/{webhookId}/test sendWebhookTest
/health/live checkLiveness:GET
/health/ready checkReadiness:GET
/oauth/revoke revokeToken:again:form
/oauth/token createToken:form
`;

const METHODS = { list: "GET", get: "GET", put: "PUT", set: "PUT", delete: "DELETE" };
const MARKS = ["again", "once", "form"];

/** The operations by their ids: {method, parts, repeatable, form, key}. Every other one of the
 * parts of a path is the name of a parameter. */
export const OPERATIONS = new Map();
for (const line of TABLE.trim().split("\n")) {
  const [path, ...operations] = line.split(" ");
  for (const operation of operations) {
    const [id, ...marks] = operation.split(":");
    const said = marks.find((mark) => /[A-Z]$/.test(mark));
    const method = said ?? METHODS[/^[a-z]+/.exec(id)] ?? "POST";
    OPERATIONS.set(id, {
      method,
      parts: (path[0] === "/" ? path : `/api/v1/${path}`).split(/[{}]/),
      repeatable: method === "POST" ? marks.includes("again") : !marks.includes("once"),
      form: marks.includes("form"),
      key: marks.find((mark) => mark !== said && !MARKS.includes(mark)),
    });
  }
}
