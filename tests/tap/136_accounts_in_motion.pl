# Accounts are read as of one moment: while somebody changes their rows again and again, each answer is charged to all
# of them. Read as the newest versions that a scan meets, a row would now and then be in neither version: in some of
# 30 000 statements an account was not charged.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use LedgerTest;
use Test::More;

my $node = new_node('motion', 'jit = off', "shared_preload_libraries = 'idp'");
my $s = session($node);
$s->value(<<'SQL');
CREATE ROLE analyst LOGIN;
CREATE TABLE whole (id int, k int);
CREATE TABLE part (id int, k int);
INSERT INTO part SELECT i, i % 3 FROM generate_series(1, 50) i;
SELECT idp.protect('whole', 1e9), idp.protect('part', 1e9);
ALTER TABLE part INHERIT whole;
GRANT SELECT ON whole, part TO analyst;
SQL

my $owner = session($node);
my $a = session($node);
$_->{quiet} = 1 foreach $owner, $a;
$a->value('SET ROLE analyst');
$owner->start(<<'SQL');
DO $$
DECLARE
  ends timestamptz := clock_timestamp() + interval '6 s';
BEGIN
  WHILE clock_timestamp() < ends LOOP
    UPDATE idp.account SET budget = budget;
    COMMIT;
  END LOOP;
END
$$;
SQL
my ($asked, $in_all) = (0, 0);
my $until = time + 5;
while (time < $until)
{
	my $plan = join '', map { $a->value('EXPLAIN SELECT dp_count(0.001) FROM part') } 1 .. 20;
	$asked += 20;
	$in_all += () = $plan =~ /costs 0[.]001 of table part, costs 0[.]001 of table whole/g;
}
$owner->finish;
cmp_ok($asked, '>', 100, 'statements were looked at while accounts changed');
is($in_all, $asked, 'each costs all of its accounts');

my $answers = 200;
$owner->start(<<'SQL');
DO $$ BEGIN FOR i IN 1 .. 3000 LOOP UPDATE idp.account SET budget = budget; COMMIT; END LOOP; END $$;
SQL
$a->value('SELECT dp_count(0.001) FROM part') foreach 1 .. $answers;
$owner->finish;
is($s->value("SELECT string_agg(DISTINCT n::text, ',') FROM (SELECT count(*) AS n FROM idp.charge GROUP BY account) c"),
	$answers, 'each answer is charged to each of them');
done_testing();
