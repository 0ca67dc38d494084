# What the tests of the privacy ledger share: what a query costs, as another session sees it, and
# sessions that work at the same time.
package LedgerTest;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use IdpTest;
use Test::More;

our @EXPORT = qw(spent entries costs sound start_query finish_query wait_until);

# What was spent of the budget of a table, without trailing zeros.
sub spent
{
	my ($session, $table) = @_;
	return $session->value("SELECT trim_scale(spent) FROM idp.budget WHERE table_name = '$table'");
}

# How many rows the ledger has for a table.
sub entries
{
	my ($session, $table) = @_;
	return $session->value("SELECT count(*) FROM idp.ledger WHERE table_name = '$table'");
}

# Passes if work charges exactly this much, and if given in so many entries, as observer sees it.
# Returns what work returned.
sub costs
{
	my ($observer, $table, $cost, $name, $work, $entries) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $before = spent($observer, $table);
	my $entries_before = entries($observer, $table);
	my $result = $work->();
	is($observer->value("SELECT trim_scale(spent - $before) FROM idp.budget WHERE table_name = '$table'"),
		$cost, "$name: charged $cost");
	is(entries($observer, $table) - $entries_before, $entries, "$name: in $entries entries") if defined $entries;
	return $result;
}

# Passes if the catalog is whole: charges are numbered and add up, also those of each asker, there is one noise for each
# level of a release, and every index is valid and, as amcheck sees it where the server has it, leads to every row once.
sub sound
{
	my ($session, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $check = 'indisvalid';
	if ($session->value("SELECT count(*) FROM pg_available_extensions WHERE name = 'amcheck'"))
	{
		$session->value('SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS amcheck; '
			  . 'RESET client_min_messages');
		$check .= ' AND bt_index_parent_check(indexrelid, true, true) IS NOT NULL';
	}
	my $result = $session->run(<<SQL);
SELECT 'entry', account, entry FROM (SELECT *, sum(epsilon) OVER (PARTITION BY account ORDER BY entry, ctid) AS total,
    sum(epsilon) OVER (PARTITION BY account, asker ORDER BY entry, ctid) AS total_of_asker,
    row_number() OVER (PARTITION BY account ORDER BY entry, ctid) AS number FROM idp.charge) s
  WHERE spent <> total OR number <> entry OR asker_spent <> total_of_asker;
SELECT 'level', chain, epsilons FROM idp.chain_level GROUP BY chain, epsilons HAVING count(*) > 1;
WITH related AS (SELECT oid, reltoastrelid FROM pg_class WHERE relnamespace = 'idp'::regnamespace AND relkind = 'r')
SELECT 'index', indexrelid::regclass FROM pg_index JOIN (SELECT oid FROM related UNION ALL SELECT reltoastrelid
  FROM related) s ON oid = indrelid
WHERE NOT ($check);
SELECT 'that is all';
SQL
	is($result->{out} . ($result->{message} // ''), 'that is all', "$name: the catalog is whole");
	return;
}

# Two sessions at work: statements whose results are asked for later.
sub start_query { my ($session, $sql) = @_; return $session->start($sql); }
sub finish_query { my ($session) = @_; return $session->finish; }

# Asks until the answer is true, for 30 seconds if not told.
sub wait_until
{
	my ($observer, $condition, $seconds) = @_;
	foreach (1 .. ($seconds // 30) * 100)
	{
		return 1 if $observer->value("SELECT $condition") eq 't';
		select undef, undef, undef, 0.01;
	}
	die "never came true: $condition";
}

1;
