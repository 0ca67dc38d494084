# Who may have a finer answer than a release gave: who may read the tables that it is about, whether an
# account pays for it or not, whoever began it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IdpTest;
use Test::More;

my $node = new_node('finer_answers', "session_preload_libraries = 'idp'", 'jit = off');
my ($s, $asker) = (session($node), session($node));
$s->value('CREATE ROLE asker');
$asker->value('SET ROLE asker');

my $refused = qr/^permission denied to refine release/;
my $columns = 'id int, salary int';
my $fill = 'SELECT i, 1000 * i FROM generate_series(1, 300) i';
sub begin_releases
{
	my ($protect, $name) = @_;
	$s->value("RESET ROLE; DROP TABLE IF EXISTS ended, others CASCADE; CREATE TABLE ended ($columns); "
		  . "INSERT INTO ended $fill; CREATE TABLE others (id int PRIMARY KEY); "
		  . "INSERT INTO others SELECT generate_series(1, 300)");
	$s->value("SELECT idp.protect('ended', 1000, rows => '$protect')") if $protect;
	$s->value("GRANT SELECT ON ended, others TO asker");
	like($asker->value("SELECT dp_sum(salary, 1e-9, 0, 1000000, 'begun $name') FROM ended WHERE id = 5"), qr/^-?\d+$/,
		"$name: begins a release");
	return;
}
sub relax { my ($name) = @_; return $asker->run("SELECT idp.relax('begun $name', 0.5)")->{message} // 'refined' }
foreach my $protect ('hidden', 'visible', '')
{
	my $kind = $protect || 'without an account';
	begin_releases($protect, "$kind, lost");
	is(relax("$kind, lost"), 'refined', "$kind: refines it, who may read");
	$s->value('REVOKE SELECT ON ended FROM asker' . ($protect ? "; SELECT idp.unprotect('ended')" : ''));
	like($asker->run("SELECT idp.relax('begun $kind, lost', 1e6)")->{message} // 'refined', $refused,
		"$kind: not when that is lost, and the account has ended");
	is($asker->run("SELECT idp.relax('begun $kind, lost', 0.25)")->{message}, undef, "$kind: within what was given");
	$s->value('GRANT SELECT (id) ON ended TO asker');
	like($asker->run("SELECT idp.relax('begun $kind, lost', 1e6)")->{message} // 'refined', $refused,
		"$kind: nor who may read other columns");
	$s->value('GRANT SELECT (salary) ON ended TO asker; ALTER TABLE ended ENABLE ROW LEVEL SECURITY; '
		  . 'CREATE POLICY few ON ended USING (id < 9)');
	like($asker->run("SELECT idp.relax('begun $kind, lost', 1e6)")->{message} // 'refined', $refused,
		"$kind: nor who may read other rows");
	$s->value('DROP POLICY few ON ended; ALTER TABLE ended DISABLE ROW LEVEL SECURITY');
	is($asker->run("SELECT idp.relax('begun $kind, lost', 1e6)")->{message}, undef,
		"$kind: who may read all of it, without an account");

	begin_releases($protect, "$kind, dropped");
	$s->value('DROP TABLE ended CASCADE');
	like(relax("$kind, dropped"), $refused, "$kind: nor of a table that is gone");
	$s->value("CREATE TABLE ended ($columns)" . ($protect ? "; SELECT idp.unprotect('ended')" : '')
		  . '; GRANT SELECT ON ended TO asker');
	like(relax("$kind, dropped"), $refused, "$kind: ... and has another of its name");
	is($s->run("SELECT idp.relax('begun $kind, dropped', 0.5)")->{message}, undef, "$kind: but for superusers")
	  if !$protect;
}
# of who began it by a view
begin_releases('', 'unread');
$s->value("REVOKE SELECT ON ended FROM asker; CREATE VIEW shown AS SELECT dp_sum(salary, 1e-9, 0, 1000000, "
	  . "'by a view') FROM ended WHERE id = 5; GRANT SELECT ON shown TO asker");
$asker->value('SELECT * FROM shown');
like($asker->run("SELECT idp.relax('by a view', 1e6)")->{message} // 'refined', $refused, 'nor who began it by a view');
# over several tables
$s->value('GRANT SELECT ON ended TO asker');
$asker->value("SELECT dp_count(1e-9, 'of several') FROM ended JOIN others USING (id)");
$s->value('REVOKE SELECT ON others FROM asker');
like($asker->run("SELECT idp.relax('of several', 1e6)")->{message} // 'refined', $refused,
	'nor who may not read all of its tables');
$s->value('GRANT SELECT ON others TO asker');
is($asker->run("SELECT idp.relax('of several', 1e6)")->{message}, undef, 'nor others');
# the owner of what is gone
$s->value('CREATE ROLE keeper; GRANT CREATE ON SCHEMA public TO keeper; SET ROLE keeper; CREATE TABLE kept (x int); '
	  . 'SELECT idp.protect(\'kept\', 10); GRANT SELECT ON kept TO asker');
$asker->value("SELECT dp_count(1e-9, 'left') FROM kept");
$s->value("SELECT dp_count(1e-9, 'own') FROM kept; DROP TABLE kept");
like($asker->run("SELECT idp.relax('left', 1)")->{message} // 'refined', $refused,
	'a dropped table: who began a release');
is($s->run("SELECT idp.relax('own', 1)")->{message}, undef, '... and the owner, whose account it left');
$s->value('RESET ROLE');

$_->quit foreach $s, $asker;
$node->stop;
done_testing();
