-- Accounts elsewhere that stay linked when the password is reset by mail, and the mails about linking.

-- Null: nobody has proved to get the account's mail since it was linked. False: it was linked before anybody had
-- proved that for the first time. True: it was linked after that, and somebody has proved it again since. Those of
-- before count as linked since the last proof.
alter table identities add column kept boolean;

alter table mails
    drop constraint mails_purpose_check,
    -- `linked`, `unlinked`: tell the confirmed address which accounts elsewhere log in or do not any more.
    add constraint mails_purpose_check
        check (purpose in ('reset', 'confirm', 'change', 'changed', 'linked', 'unlinked')),
    -- The issuers of these accounts, a line each.
    add column issuers text not null default '';
