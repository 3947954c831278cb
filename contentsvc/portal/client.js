/*! contentsvc-client, MIT licence */
import{a as B,b as U,c as x,d as H,e as j,f as b,g as G,h as ot,i as P}from"./client-shared.js";async function J(o,t){let e=new Set;for await(let{user:s}of o.each("listBlockedUsers",{},t))e.add(s.id);return e}function at(o,t){let{authorId:e,sender:s,author:i,owner:n,user:r,content:a,username:c,id:f}=t??{},d=e??s??i??n??r??a?.authorId??(c&&f);return o.has(d?.id??d)}function p(){let o=crypto.getRandomValues(new Uint8Array(16));return o[6]=o[6]&15|64,o[8]=o[8]&63|128,Array.from(o,e=>e.toString(16).padStart(2,"0")).join("").replace(/^(.{8})(.{4})(.{4})(.{4})/,"$1-$2-$3-$4-")}var ct=/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/gs;function ht(o){let t=p(),e=r=>/^-?[1-9]\d{15,}$/.test(r)&&!Number.isSafeInteger(+r),s=o.replace(ct,r=>e(r)?`"${t}${r}"`:r),i=r=>typeof r=="string"&&r.startsWith(t);return JSON.parse(s,s===o?void 0:(r,a)=>i(a)?BigInt(a.slice(t.length)):a)}function z(o){let t=p(),e=JSON.stringify(o,(s,i)=>typeof i=="bigint"?t+i:i);return e?.includes(t)?e.replace(new RegExp(`"${t}(-?\\d+)"`,"g"),"$1"):e}async function F(o,t,e={},s){let{body:i,headers:n}=await o.call(t,e,{...s,whole:!0});if(Array.isArray(i)){let u=/<[^>]*?\?([^>]*)>; *rel="next"/.exec(n.get("Link"));if(!u)return{items:i,next:null};let{after:m,...l}=Object.fromEntries(new URLSearchParams(u[1]));return{items:i,next:{...l,...e,after:m}}}let{items:r,page:a,pageSize:c,total:f,next:d}=i;if(!Array.isArray(r))throw new TypeError(`${t} gives no list.`);let y=d===void 0?{page:a+1}:{after:d},h=r.length===0||(a+1)*c>=f;return{items:r,next:h?null:{...e,...y}}}async function*K(o,t,e,s){for(let i=e??{};i;){let{items:n,next:r}=await F(o,t,i,s);yield*n,i=r}}var ut=`
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
`,dt={list:"GET",get:"GET",put:"PUT",set:"PUT",delete:"DELETE"},ft=["again","once","form"],N=new Map;for(let o of ut.trim().split(`
`)){let[t,...e]=o.split(" ");for(let s of e){let[i,...n]=s.split(":"),r=n.find(c=>/[A-Z]$/.test(c)),a=r??dt[/^[a-z]+/.exec(i)]??"POST";N.set(i,{method:a,parts:(t[0]==="/"?t:`/api/v1/${t}`).split(/[{}]/),repeatable:a==="POST"?n.includes("again"):!n.includes("once"),form:n.includes("form"),key:n.find(c=>c!==r&&!ft.includes(c))})}}var gt=5e3,E=class{#t;#s;#o;#i=new Map;#e=Promise.resolve();constructor(t,e,s){this.#t=t,this.#s=e,this.#o=s}async get(t){return this.#i.has(t)?this.#i.get(t):await this.#n((e,s)=>e.get(s),t)??null}set(t,e){return this.#r(t,e,(s,i)=>s.set(i,e))}remove(t){return this.#r(t,null,(e,s)=>e.remove(s))}async#r(t,e,s){if(this.#i.set(t,e),!this.#t)return;let i=async(n,r)=>{await s(n,r),this.#i.get(t)===e&&this.#i.delete(t)};this.#e=this.#e.then(()=>this.#n(i,t)),await this.#e}async#n(t,e){if(!this.#t)return null;try{return await x(gt,t(this.#t,this.#s+e),this.#o)}catch{return null}}};var mt=3e4,pt=1e3,L=class{#t;#s;#o;#i=[];constructor(t,e,s){this.#t=t,this.#s=s,!(!t||!globalThis.location||!globalThis.BroadcastChannel)&&(this.#o=new BroadcastChannel(t),this.#o.onmessage=({data:i})=>{e(i);for(let n of this.#i.splice(0))n()})}tell(t){this.#o?.postMessage(t)}async alone(t,e=()=>!1){let s=this.#o&&globalThis.navigator?.locks;if(!s)return t();if(await s.request(this.#t,{ifAvailable:!0},async c=>(c&&await t(),c)))return;let n=new Promise(c=>this.#i.push(c)),r=new AbortController,a=this.#s.setTimeout(()=>r.abort(),mt);try{await s.request(this.#t,{signal:r.signal},async()=>{this.#s.clearTimeout(a),await x(pt,n,this.#s).catch(()=>{}),e()||await t()})}catch(c){if(!r.signal.aborted)throw c;await t()}}};var R="session",v="guest",wt=6e4,It=new Set(["invalid_client","invalid_scope"]),yt=7,kt=o=>{try{return JSON.parse(o)}catch{return null}},bt=()=>`${p()}${p()}-GHIJKLMNOPQRSTU`,O=class{#t;#s;#o;#i;#e=null;#r=null;#n;#h;#a=null;#f=new E;constructor(t,e,s){this.#t=t,this.#s=e,this.#o=s;let i=s||e?`contentsvc ${t.base}`:null;this.#i=new L(i,n=>this.#u(n),t.clock)}get user(){let{id:t,username:e}=this.#e??{};return t?{id:t,username:e}:null}async rename(t,e){this.#e?.id===t&&(this.#e.username=e,await this.#t.storage.set(R,JSON.stringify(this.#e)),this.#r&&this.#v({token:this.#r.token,left:this.#r.expires-this.#t.clock.now()}))}async logIn(t,e){let s=this.#t.clock.now(),i=t.secret&&!0,n=await this.#c(t,{...e,repeatable:!!i}),r=this.#s?"":p(),a=await this.#b({key:r,count:0,guest:i},n,e);return this.#e&&this.#l("logout"),await this.#T(a,n,s),this.user}async logInAsGuest(t,e){let s=this.#s?this.#f:this.#t.storage,i;await this.#i.alone(async()=>{await s.get(v)||await s.set(v,bt()),i=await s.get(v)});let n=this.#s;try{return await this.logIn({...t,secret:i},e)}catch(r){throw n=r.code==="invalid_grant"&&i===await s.get(v),r}finally{n&&await s.remove(v)}}async becameFull(){let t=this.#e;if(!t?.guest)return;t.guest=void 0,await this.#t.storage.remove(v);let e=await this.#b({},{userId:t.id}).catch(()=>t);await this.rename(t.id,e.username)}async logInAsService(t,e){let s=this.#t.clock.now(),i=await this.#c(t,{...e,repeatable:!0});this.#e&&this.#l("logout"),this.#e={key:p(),count:0,form:t},this.#a=null,this.#m(i.access_token,s+i.expires_in*1e3)}async logOut(t){await this.restore();let e=this.#e;if(!e)return;let s=e.form?this.#r.token:!this.#s&&e.refresh;e.form?this.#l("logout"):await this.#E("logout");let i={...t,authorize:!1,repeatable:!0};s?await this.#t.request("POST","/oauth/revoke",{...i,form:{token:s}}):await this.#t.request("DELETE",this.#s,i)}restore(){if(!this.#n){let t=this.#g().then(()=>this.#n===t&&(this.#n=!0));this.#n=t}return this.#n}get held(){let t=this.#r;if(!this.#e)return this.#n===!0?null:void 0;if(t&&this.#t.clock.now()<t.stale)return t.token}async token(t){if(await this.restore(),!this.#e){if(t&&this.#a)throw this.#a;return null}let e=this.#r,s=e&&(t===!0||t===e.token),{clock:i}=this.#t;if(!s&&this.held)return e.token;try{await(this.#h??=this.#y(e).finally(()=>this.#h=null))}catch(n){if(s||this.#r!==e||!(i.now()<e?.expires))throw n}return this.#r?.token??null}async#g(){let t=await this.#p();this.#e??=t??(this.#s&&!this.#o?{key:"",count:0}:null)}async#p(){let t=kt(await this.#t.storage.get(R));return t?.id&&(this.#s||t.refresh)?t:null}#y(t){if(this.#e.form)return this.#d();let e=async()=>{let s=this.#t.clock.now(),i=await this.#w(),n={grant_type:"refresh_token"};this.#s||(n.refresh_token=i.refresh);try{let r=Math.min(yt,this.#t.timeout),a=await this.#c(n,{repeatable:!0,timeout:r});i.id&&a.userId!==i.id&&this.#k();let c=await this.#b(i,a);this.#e===i&&await this.#T(c,a,s)}catch(r){if(!(r.code==="invalid_grant"||this.#s&&r.status===401)||this.#e!==i)throw r;if(await this.#w()!==i)return e();if(this.#a=r,await this.#E("ended"),i.id)throw r}};return this.#i.alone(e,()=>this.#r!==t)}async#d(){let t=this.#e,e=this.#t.clock.now();try{let s=await this.#c(t.form,{repeatable:!0}),{access_token:i,expires_in:n}=s;this.#e===t&&this.#m(i,e+n*1e3)}catch(s){throw!It.has(s.code)||this.#e!==t||(this.#a=s,this.#l("ended")),s}}async#w(){let t=await this.#p(),e=this.#e;return t&&e&&!this.#I(t)&&this.#k(),t&&e&&t.count>e.count&&(this.#e=t),this.#e}#k(){throw this.#l("logout"),this.#n=null,new b(401,{code:"invalid_grant",detail:"Another log-in took its place."})}#I({key:t,id:e}){return t===this.#e.key&&(!this.#e.id||e===this.#e.id)}#c(t,e){let s=(t.client_secret?null:this.#s)??"/oauth/token";return this.#t.request("POST",s,{...e,form:t})}async#b(t,{userId:e},s){if(t.id===e)return t;let i=`/api/v1/user/${e}/info`,{username:n}=await this.#t.request("GET",i,{...s,authorize:!1});return{...t,id:e,username:n}}async#T(t,{access_token:e,expires_in:s,refresh_token:i},n){this.#e={...t,count:t.count+1,refresh:i},this.#a=null,this.#m(e,n+s*1e3),await this.#t.storage.set(R,JSON.stringify(this.#e)),this.#v({token:e,left:this.#r.expires-this.#t.clock.now()})}#m(t,e){let s=e-this.#t.clock.now();this.#r={token:t,expires:e,stale:e-Math.min(wt,s/5)}}async#E(t){this.#v({ended:t}),this.#l(t),await this.#t.storage.remove(R)}#l(t){let e=this.user||this.#e?.form;this.#e=this.#r=null,e&&this.#t.dispatchEvent(new CustomEvent("signedout",{detail:{reason:t}}))}#v(t){this.#i.tell({record:this.#e,...t})}#u({record:t,token:e,left:s,ended:i}){if(!this.#e?.form)if(!this.#e)this.#n=i?this.#n:null;else if(this.#I(t)){if(i)return this.#l(i);this.#e=t,this.#m(e,this.#t.clock.now()+s)}else i||this.#S()}async#S(){for(let t of[0,100,1e3]){if(await U(t,void 0,this.#t.clock),!this.#e)return;await this.#w().catch(()=>{})}}};var Et="urn:ietf:params:oauth:grant-type:token-exchange",vt="urn:contentsvc:grant:guest",Tt="urn:contentsvc:grant:portal-code",T=class extends EventTarget{#t;constructor(t,e={}){super(),this.base=new URL(t,globalThis.location?.href).href.replace(/\/+$/,""),this.kind=e.client??"game",this.timeout=e.timeout??30,this.retries=e.retries??3,this.clock=e.clock??B,this.parse=e.parse??(n=>JSON.parse(n)),this.fetch=e.fetch??((n,r)=>globalThis.fetch(n,r)),this.WebSocket=e.WebSocket??globalThis.WebSocket;let{storage:s,session:i}=e;this.storage=new E(s,`contentsvc ${this.base} `,this.clock),this.#t=new O(this,i,!!s)}get user(){return this.#t.user}logIn({username:t,password:e},s){return this.#t.logIn({grant_type:"password",username:t,password:e},s)}logInWith({subjectToken:t,subjectTokenType:e},s){let i={subject_token:t,subject_token_type:e};return this.#t.logIn({grant_type:Et,...i},s)}logInAsGuest(t){return this.#t.logInAsGuest({grant_type:vt},t)}logInWithCode({code:t,user:e},s){return this.#t.logIn({grant_type:Tt,code:t,user:e},s)}logInAsService({account:t,secret:e,scope:s},i){let n={client_id:t,client_secret:e,...s?{scope:s}:{}};return this.#t.logInAsService({grant_type:"client_credentials",...n},i)}logOut(t){return this.#t.logOut(t)}token({fresh:t,signal:e}={}){return H(e,this.#t.token(t))}part(t,e,s){return F(this,t,e,s)}each(t,e,s){return K(this,t,e,s)}text(t,e,s){return this.call(t,e,{...s,text:!0})}async call(t,e={},s){let i=N.get(t);if(!i)throw new TypeError(`There is no operation ${t}.`);let{method:n,parts:r,key:a,form:c}=i,{repeatable:f}=i;e.userId==null&&r.includes("userId")&&(await this.token(s),e={...e,userId:this.user?.id});let d=r[0];for(let l=1;l<r.length;l+=2){let g=r[l],I=`${e[g]??""}`;if(/^\.?$|(^|[/\\])\.\.($|[/\\])/.test(I))throw new TypeError(`${t}: ${g} is "${I}".`);d+=encodeURIComponent(I)+r[l+1]}let y="?";for(let l in e){if(e[l]==null||l==="body"||r.includes(l))continue;let g=e[l],S=typeof g=="object"&&!Array.isArray(g)?Object.entries(g).map(([q,A])=>[`${l}.${q}`,A]):[[l,g]];S.length&&(d+=y+new URLSearchParams(S),y="&")}let{body:h}=e;a&&typeof h=="string"?f=!1:a&&h?.[a]==null&&(h={...h,[a]:p()});let u=c?{form:h}:{body:h},m=await this.request(n,d,{repeatable:f,...s,...u});return t==="setUsername"&&await this.#t.rename(e.userId,h?.username),(t==="putAccount"||t==="linkIdentity")&&await this.#t.becameFull(),m}async request(t,e,s={}){let{signal:i,form:n,token:r,authorize:a=!n}=s,{repeatable:c=t!=="POST",retries:f=this.retries}=s,d=this.base+e,y={retries:f,signal:i,repeatable:c,clock:this.clock},h=m=>P(()=>this.#s(t,d,m,s),y),u=r??(a?this.#t.held:null);u===void 0&&(u=await this.token({signal:i}));try{return await h(u)}catch(m){let g=!r&&u&&m.status===401&&m.code==="invalid_token"&&await this.token({fresh:u,signal:i});if(!g)throw m;return h(g)}}async#s(t,e,s,i){let{body:n,form:r,headers:a,signal:c,whole:f,text:d,timeout:y,seen:h}=i,[u,m]=j(c),{clock:l,fetch:g}=this,I=a?Object.fromEntries(new Headers(a)):{};if(s&&(I.authorization=`Bearer ${s}`),n!==void 0&&(I["content-type"]="application/json"),h&&t!=="GET"){if(!h.etag)throw new TypeError("Nothing was read.");I["if-match"]=h.etag}let S=typeof n=="string"?n:z(n),q=r?new URLSearchParams(r):S,A=y??this.timeout,nt=()=>u.abort(new Error(`No answer came within ${A} s.`)),rt=l.setTimeout(nt,A*1e3);try{let w=await g(e,{method:t,headers:I,body:q,signal:u.signal});if(!w.ok)throw await b.of(w,this.parse);let k=await w.text();if(h&&t==="GET"&&(h.etag=w.headers.get("ETag")),d)return k;let C=k?this.parse(k):void 0,W=w.headers.get("Location");return W&&(C={location:W,...C}),f?{body:C,headers:w.headers}:C}catch(w){if(w instanceof b)throw w;c?.throwIfAborted();let k=u.signal.reason??w;throw new G(`${t} ${e}: ${k.message}`,{cause:k})}finally{l.clearTimeout(rt),m()}}};for(let o of N.keys())T.prototype[o]=function(t,e){return this.call(o,t,e)};var V=25,_=class{#t;#s;#o=new AbortController;#i;constructor(t,{after:e,signal:s,...i}={}){this.#t=t,this.#s=i,this.#i=s,this.after=e??null}close(){this.#o.abort(this)}async*[Symbol.asyncIterator](){let t=this.#o.signal,e=()=>this.#o.abort(this.#i.reason);this.#i?.addEventListener("abort",e);try{for(this.#i?.throwIfAborted();!t.aborted;){let{items:s,next:i}=await this.#e(t);for(let n of s)if(!(n.number<=this.after)){if(t.aborted)break;this.after=n.number,yield n}t.throwIfAborted(),this.after=Math.max(i,this.after??0)}}catch(s){if(s!==this)throw s}finally{this.#i?.removeEventListener("abort",e)}}#e(t){let{timeout:e,clock:s}=this.#t,{after:i}=this,n=i==null?void 0:V,r={...this.#s,after:i,wait:n},a={signal:t,retries:0,timeout:e+V};return P(()=>this.#t.call("listEvents",r,a),{retries:1/0,longest:1/0,signal:t,clock:s})}};var D=class o{#t;#s;#o;#i=new Map;#e;#r=!1;#n;static async of({storage:t,user:e},s){let i=`live ${e.id}`,n=s?null:await Y(t,i);return new o(t,i,s,n)}constructor(t,e,s,i){this.#t=t,this.#s=e,this.#e=new Set(i?.over),this.start=s??(i&&{seq:i.seq,id:i.id}),this.#o=this.start,this.#r=!!s}replace(t){this.#i.clear(),this.#e.clear(),this.#o=t,this.#r=!0,this.#a()}give({seq:t,id:e}){return this.#i.set(t,e),this.#e.has(t)?(this.#h(),!1):!0}done(t){this.#i.has(t)&&(this.#e.add(t),this.#h())}#h(){for(let[t,e]of this.#i){if(!this.#e.delete(t))break;this.#o={seq:t,id:e},this.#i.delete(t)}this.#a()}#a(){this.#n??=this.#f().finally(()=>this.#n=null)}async#f(){for(let t;t!==this.#g();){let e=await Y(this.#t,this.#s);t=this.#g(),!(!this.#r&&e?.seq>this.#o.seq)&&(this.#r=!1,await this.#t.set(this.#s,t))}}#g(){return JSON.stringify({...this.#o,over:[...this.#e]})}};async function Y(o,t){try{let e=JSON.parse(await o.get(t));return Number.isSafeInteger(e?.seq)&&Array.isArray(e.over)?e:null}catch{return null}}var M=class{#t;#s=0;#o=null;#i=new Set;#e;#r=-1;#n;constructor(t){this.#t=t}state({seq:t,unread:e}){this.#r=t,this.#h(t,e)}async read(t){this.#r=-1;let e=this.#n={};try{let{newest:s,unread:i}=await t();this.#n===e&&s>this.#r&&this.#h(s,i)}catch{}}notified(t,{read:e}){e||t<=this.#s||(this.#i.add(t),this.#a())}forget(){this.#i.clear(),this.#r=-1,this.#a()}#h(t,e){this.#s=t,this.#o=e;for(let s of this.#i)s<=t&&this.#i.delete(s);this.#a()}#a(){let t=this.#o+this.#i.size;this.#o===null||t===this.#e||(this.#e=t,this.#t(t))}};var Q=.5,X=30,Z=15,tt=10,St=1e3,At=[4403,4409,4410],Ct=["log_changed","seq_ahead","trimmed","invalid_resume"],et={over:4401,reason:"nobody is logged in, or another user"},st=(o,t)=>o+Math.random()*(t-o),Ut=(o,t)=>{try{return t(o)??{}}catch{return{}}},$=class extends EventTarget{over=!1;#t;#s;#o;#i;#e;#r;#n;#h=0;#a=Q;#f=!1;#g;#p;#y;#d;#w;#k;#I=new AbortController;#c=[];#b=!1;#T;#m=[];constructor(t,{resume:e,confirm:s=!1}={}){if(super(),!t.WebSocket)throw new TypeError("There is no WebSocket: give the option.");let i=e?.seq??e;if(i!=null&&!(Number.isSafeInteger(i)&&i>=0))throw new TypeError("resume is {seq, id}, or 0.");this.#t=t,this.#e=s,this.#n=i==null?null:{seq:i,id:e.id??null},this.#i=new M(n=>this.#u("unread",{unread:n})),globalThis.addEventListener?.("online",this.#S),this.#L()}addEventListener(t,...e){super.addEventListener(t,...e),t==="notification"&&this.#E()}#E(){if(!this.#b){for(let{seq:t}of this.#c??[])this.#e||this.#s.done(t);this.#c=null}}seen(t){this.#s?.done(t)}close(){this.#C(1e3,"")}[Symbol.asyncIterator](){return this.#b=!0,this.#c??=[],{next:()=>(this.#e||this.#s?.done(this.#T?.seq),new Promise(e=>{this.#m.push(e),this.#l()})),return:async e=>({done:!0,value:e})}}#l(){for(;this.#m.length&&(this.#c?.length||this.over);){let t=this.#c.shift();t&&(this.#T=t),this.#m.shift()({value:t,done:!t})}}#v(){this.#h=0,this.#a=Q}#u(t,e){this.dispatchEvent(new CustomEvent(t,{detail:e}))}#S=()=>{this.#v(),this.#d?this.#d({reason:"online",pause:0}):this.#I.abort()};#C(t,e){this.over||(this.over=!0,globalThis.removeEventListener?.("online",this.#S),this.#d?.({}),this.#I.abort(),t===1e3&&(this.#E(),this.#c&&=[]),this.#u("ended",{code:t,reason:e}),this.#l())}async#L(){for(;!this.over;){let{over:t,reason:e,least:s=0,pause:i}=await this.#R().catch(xt);if(t&&this.#C(t,e),this.over)return;if(i===0)continue;let n=Math.max(this.#a*st(.5,1.5),s*st(1,1.5));this.#a=Math.min(2*Math.max(this.#a,s),X),this.#h+=1,this.#I=new AbortController,this.#u("waiting",{attempt:this.#h,seconds:n,reason:e}),await U(n*1e3,this.#I.signal,this.#t.clock).catch(()=>{})}}async#R(){let t=this.#t,e=new Promise(s=>this.#d=s);try{let s=await Promise.race([this.#O(),e]);return!s.socketUrl||this.over?s:(this.#_(new t.WebSocket(s.socketUrl),s.accessToken),await e)}finally{this.#x()}}async#O(){let t=this.#t,e="/api/v1/session/connect",s=await t.token(),i=t.user?.id;if(!s||this.#r&&this.#r!==i)return et;this.#r=i,this.#s=await(this.#o??=D.of(t,this.#n)),this.#n??=this.#s.start;let n=await t.request("POST",e,{body:{client:t.kind},retries:0});return t.user?.id===i?n:et}#_(t,e){this.#p=t,this.#y=this.#f=!1,this.#w=Z;let s,i="",{seq:n,id:r}=this.#n??{};t.onopen=()=>{let a=n===void 0?{}:{resume:n,...n&&r&&{resumeId:r}};t.send(JSON.stringify({type:"auth",token:e,...a})),this.#P()},t.onmessage=({data:a})=>{this.#P();let c=Ut(typeof a=="string"?a:null,this.#t.parse);c.type==="goodbye"&&(s=+c.retryAfter||0),c.type==="error"&&(i=c.detail),this.#D(c)},t.onerror=()=>{},t.onclose=({code:a,reason:c})=>{let f=At.includes(a)?a:null;this.#d?.({over:f,reason:i||c||`closed with ${a}`,least:s})},this.#A(tt,()=>this.#U())}#U(){this.#d?.({reason:"nothing came"})}#x(){let t=this.#p;this.#d=this.#p=null,this.#y=!1,this.#t.clock.clearTimeout(this.#k),t&&(t.onopen=t.onmessage=t.onclose=null,t.close(1e3))}#A(t,e){let{clock:s}=this.#t;s.clearTimeout(this.#k),this.#k=s.setTimeout(e,t*1e3)}#P(){this.#A(this.#w,()=>{this.#p.send('{"type":"ping"}'),this.#A(tt,()=>this.#U())})}#D(t){let{type:e,code:s,seq:i}=t;e==="hello"?this.#M(t):e==="notification"?this.#$(t):e==="state"?(this.#i.state(t),this.#u("state",{seq:i,unread:t.unread})):e==="error"&&Ct.includes(s)?(this.#f=s!=="log_changed",s==="log_changed"&&this.#N(i,t.id),s!=="trimmed"&&this.#i.forget(),this.#u("missed",{code:s})):e&&e!=="pong"&&e!=="goodbye"&&this.#u("message",t)}#N(t,e){this.#n={seq:t,id:e},this.#g=void 0,this.#s.replace(this.#n)}#M({seq:t,id:e,unread:s,heartbeat:i}){let n=this.#n;this.#y=!0,this.#v(),this.#w=Math.min(i??Z,X),t!==n?.seq?this.#N(t,e):this.#n={seq:t,id:e??n.id},n?this.#i.read(()=>this.#t.call("getNotificationState")):this.#i.state({seq:t,unread:s}),this.#u("open",{seq:t})}#$({seq:t,notification:e}){let s=this.#n?.seq;if(!this.#y||t<=s)return;if(t>s+1&&!this.#f){if(this.#g!==s){this.#g=s,this.#d({reason:"a number is missing",pause:0}),this.#x();return}this.#u("missed",{code:"trimmed"})}if(this.#f=!1,this.#n={seq:t,id:e.id},this.#i.notified(t,e),!this.#s.give(this.#n))return;let i={seq:t,notification:e};this.#c?.push(i)>St&&this.#E(),this.#u("notification",i),!this.#e&&!this.#c&&this.#s.done(t),this.#l()}};function xt(o){let t=o.message;return o.status===401||o.code==="invalid_grant"?{over:4401,reason:t}:o.status===403?{over:4403,reason:t}:{reason:t,least:o.retryAfter??0}}var it=class extends T{blocked(t){return J(this,t)}live(t){return new $(this,t)}events(t){return new _(this,t)}};export{b as ApiError,it as Client,G as NetworkError,ot as PublishError,ht as exactly,p as guid,at as isBlocked};
