# Every aggregate, in every shape of statement, over tables whose parts lie in other servers, by postgres_fdw: as over a table
# of one server (AnswerMatrix). The extension is installed in one of the other servers, and postgres_fdw is told so.
#
#   IDP_LAW_DRAWS   how many answers of each mechanism are drawn over each table (400)
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use AnswerMatrix;
use IdpTest;
use Test::More;

my @far = (new_node('far_one'), new_node('far_two', 'bare'));
$far[$_]->safe_psql('postgres', 'CREATE TABLE part (id int, ' . matrix_columns() . '); INSERT INTO part ' . matrix_rows(200 * $_ + 1, 200 * $_ + 200) =~ s/SELECT/SELECT i,/r) foreach 0, 1;

my $near = new_node('near', "shared_preload_libraries = 'idp'", 'jit = off');
my $super = session($near);
$super->value("CREATE EXTENSION postgres_fdw; CREATE ROLE keeper LOGIN; CREATE ROLE analyst LOGIN; GRANT CREATE ON SCHEMA public TO keeper; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO keeper");
foreach my $i (0, 1)
{
	my $told = $i ? '' : ", extensions 'idp'";
	$super->value("CREATE SERVER far$i FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '" . $far[$i]->host . "', port '" . $far[$i]->port . "', dbname 'postgres'$told); GRANT USAGE ON FOREIGN SERVER far$i TO keeper; "
		  . "CREATE USER MAPPING FOR keeper SERVER far$i OPTIONS (user '" . $super->value('SELECT session_user') . "', password_required 'false')");
}
my %sessions = map { $_ => session($near) } 'owner', 'analyst';
$_->{quiet} = 1 foreach $super, values %sessions;
$sessions{owner}->value('SET client_min_messages = error; SET ROLE keeper');
$sessions{analyst}->value('SET client_min_messages = error; SET ROLE analyst');
my $owner = $sessions{owner};
$owner->value("CREATE TABLE region (g int PRIMARY KEY, name text); INSERT INTO region SELECT i, 'r' || i FROM generate_series(0, 4) i; GRANT SELECT ON region TO analyst");

# Which of the three parts of each table lie elsewhere.
my %kinds = (alone => [], spread => [ 0, 1 ], mixed => [1]);
foreach my $table (sort keys %kinds)
{
	my %is_far = map { $_ => 1 } @{ $kinds{$table} };
	$owner->value("CREATE TABLE $table (id int, " . matrix_columns() . ') PARTITION BY RANGE (id); GRANT SELECT ON ' . "$table TO analyst");
	foreach my $part (0 .. 2)
	{
		my ($first, $last) = (200 * $part + 1, $part < 2 ? 200 * $part + 200 : 555);
		my $bounds = "PARTITION OF $table FOR VALUES FROM ($first) TO (" . ($last + 1) . ')';
		$owner->value($is_far{$part} ? "CREATE FOREIGN TABLE ${table}_$part $bounds SERVER far$part OPTIONS (table_name 'part')" : "CREATE TABLE ${table}_$part $bounds; INSERT INTO ${table}_$part " . matrix_rows($first, $last) =~ s/SELECT/SELECT i,/r);
	}
}
compare_tables(super => $super, sessions => \%sessions, tables => [ 'alone', 'spread', 'mixed' ]);
compare_laws($sessions{analyst}, $ENV{IDP_LAW_DRAWS} // 400, 'alone', 'spread', 'mixed');

$_->quit foreach $super, values %sessions;
$_->stop foreach $near, @far;
done_testing();
